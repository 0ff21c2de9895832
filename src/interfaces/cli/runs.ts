import { PitonError, shellWord } from '../../base/index.ts';
import type { Piton, RunLine } from '../../library/index.ts';
import type { Context } from './context.ts';
import { Damages } from './damages.ts';

/** Runs that should go on, and that nobody drives. Newest first. */
export async function interruptedRuns(piton: Piton, { add }: Damages): Promise<readonly RunLine[]> {
  return piton.runs({ status: ['interrupted'], onDamaged: add });
}

/** Those that were interrupted come first: somebody wants them to go on. */
const canGoOn = ['interrupted', 'paused', 'held'] as const;

/** Undefined if there is none. Throws `RUN_AMBIGUOUS`. */
export async function oneThatCanGoOn(piton: Piton): Promise<string | undefined> {
  const open = await piton.runs({ status: canGoOn, onDamaged: () => undefined });
  const first = canGoOn.find((status) => open.some((line) => line.status === status));
  const found = open.filter(({ status }) => status === first);
  if (found.length <= 1) return found[0]?.run;
  const runs = found.map(({ run }) => run);
  const list = found.slice(0, 10).map(({ run, workflow }) => `${run} (${workflow})`);
  const more = found.length > list.length ? ` and ${found.length - list.length} more` : '';
  const all = first === 'interrupted' ? ', or all of them: piton resume --all' : '';
  throw new PitonError('RUN_AMBIGUOUS', `Several runs are ${first}: ${list.join(', ')}${more}.`, {
    runs,
    remedy: `Name one: piton resume ${shellWord(runs[0]!)}${all}.`,
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
