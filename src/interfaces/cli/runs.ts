import { PitonError, shellWord, someNames } from '../../base/index.ts';
import type { Piton, RunLine } from '../../library/index.ts';
import type { Context } from './context.ts';
import { Damages } from './damages.ts';
import { cleanLine, statusCell, whenText } from './output/index.ts';
import { canAsk, readLine } from './prompt.ts';

/** Runs that should go on, and that nobody drives. Newest first. */
export async function interruptedRuns(piton: Piton, { add }: Damages): Promise<readonly RunLine[]> {
  return piton.runs({ status: ['interrupted'], onDamaged: add });
}

/** The same, with those that a policy lets go back to their last good commit: what their journals or rows say is damaged. */
export async function mendableRuns(piton: Piton): Promise<readonly string[]> {
  const damages = new Damages();
  const found = await piton.runs({ status: ['interrupted', 'behind'], onDamaged: damages.add });
  const damaged = damages.found.flatMap(({ details: { run } }) => (typeof run === 'string' ? run : []));
  return [...found.map(({ run }) => run), ...damaged];
}

/** These go on as soon as somebody drives them. */
const goesOn = ['interrupted', 'paused'] as const;
/** These go on when a person has decided something: only if no other can. */
const canGoOn = [...goesOn, 'held'] as const;

/**
 * The one run that can go on; a person at a terminal chooses among several. Throws `RUN_AMBIGUOUS` where nobody chooses one,
 * `RUN_NOT_FOUND` if none can go on.
 */
export async function oneThatCanGoOn(context: Context, piton: Piton): Promise<string> {
  const all = await piton.runs({ status: canGoOn, onDamaged: () => undefined });
  // Of a run and the fork that has taken its place, the fork is meant.
  const open = all.filter(({ about }) => about?.supersededBy === undefined);
  const ready = open.filter(({ status }) => (goesOn as readonly string[]).includes(status));
  const found = ready.length > 0 ? ready : open;
  if (found.length === 0) throw noneCanGoOn();
  if (found.length === 1) return found[0]!.run;
  return (await chooseRun(context, found)) ?? throwAmbiguous(found);
}

function noneCanGoOn(): PitonError {
  return new PitonError('RUN_NOT_FOUND', 'No run is interrupted, paused or held: none can go on.', {
    remedy: 'See all runs: piton list. Start one: piton run <workflow>.',
  });
}

/** Most that are listed. */
const mostListed = 10;

/** Undefined where nobody can be asked, and for any answer but a number of the list: a run costs money. */
async function chooseRun(context: Context, found: readonly RunLine[]): Promise<string | undefined> {
  const { output, now } = context;
  if (output.isJson || !canAsk(context)) return undefined;
  const listed = found.slice(0, mostListed);
  output.print('Several runs can go on:');
  output.table(
    listed.map(({ run, workflow, status, updatedAt }, index) => [
      `  ${index + 1}`,
      run,
      cleanLine(workflow),
      statusCell(status, output.style),
      whenText(updatedAt, now()),
    ]),
  );
  if (found.length > listed.length)
    output.print(`  and ${found.length - listed.length} older ones: piton list`);
  const answer = await readLine(context, `Which one? [1-${listed.length}, Enter: none]`, (line) =>
    line.trim(),
  );
  return /^\d+$/.test(answer ?? '') ? listed[Number(answer) - 1]?.run : undefined;
}

function throwAmbiguous(found: readonly RunLine[]): never {
  const runs = found.map(({ run }) => run);
  const list = found.map(({ run, workflow, status }) => `${run} (${workflow}, ${status})`);
  const all = found.every(({ status }) => status === 'interrupted')
    ? ', or all of them: piton resume --all'
    : '';
  throw new PitonError('RUN_AMBIGUOUS', `Several runs can go on: ${someNames(list, mostListed)}.`, {
    runs,
    remedy: `Name one: piton resume ${shellWord(runs[0]!)}${all}`,
  });
}

/** One line on standard error, if there are runs whose driver has died. `except`: the run this command is about. */
export async function noticeInterrupted(
  context: Context,
  { except }: { readonly except?: string } = {},
): Promise<void> {
  if (!context.project.hasStore()) return;
  const damages = new Damages();
  const found = await interruptedRuns(await context.openExisting(), damages);
  const runs = found.filter(({ run }) => run !== except);
  for (const { message } of damages.found) context.output.note(message);
  const [only] = runs;
  if (only === undefined) return;
  context.output.note(
    runs.length === 1
      ? `Run ${only.run} (${only.workflow}) was interrupted. Go on with it: piton resume ${only.run}`
      : `${runs.length} runs were interrupted. Go on with all of them: piton resume --all`,
  );
}
