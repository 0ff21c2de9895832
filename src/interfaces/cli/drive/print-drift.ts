import { PitonError, shellWord, someNames } from '../../../base/index.ts';
import type { Drift, DriftView } from '../../../library/index.ts';
import type { Context } from '../context.ts';
import { cleanLine, type Style } from '../output/index.ts';

const verdicts: Readonly<Record<Drift['verdict'], { readonly text: string; readonly colour: keyof Style }>> =
  {
    harmless: { text: 'harmless', colour: 'dim' },
    settled: { text: 'settled', colour: 'dim' },
    applies: { text: 'not begun', colour: 'blue' },
    'under-way': { text: 'under way', colour: 'yellow' },
    structural: { text: 'cannot be accepted', colour: 'red' },
  };

/** Field by field: what changed, and below it what accepting that would do. */
export function printDrift({ output }: Context, drift: readonly Drift[], redo: readonly string[] = []): void {
  for (const { task, field, effect, verdict, ...changed } of drift) {
    const what = changed.change === 'changed' ? `${field}: ${values(changed)}` : changed.change;
    output.print(`  ${task === undefined ? '' : `${output.style.bold(cleanLine(task))} `}${cleanLine(what)}`);
    const isRedone = task !== undefined && redo.includes(task);
    const { text, colour } = verdicts[isRedone ? 'applies' : verdict];
    const [said, does] = isRedone ? ['re-run', 'as it is defined now'] : [text, effect];
    output.print(`      ${output.style[colour](said)}: ${cleanLine(does)}`);
  }
}

function values({ before, after }: Pick<Drift, 'before' | 'after'>): string {
  return `${before ?? 'none'} → ${after ?? 'none'}`;
}

/** What was changed, in one line: `deploy (run, timeout), tell (added)`. Only what makes a difference now. */
export function driftInShort(drift: readonly Drift[]): string {
  const matters = drift.filter(({ verdict }) => verdict !== 'harmless' && verdict !== 'settled');
  const telling = matters.length > 0 ? matters : drift;
  const byTask = Map.groupBy(telling, ({ task = 'workflow' }) => task);
  const named = Array.from(byTask, ([task, changes]) => {
    const fields = changes.map(({ field, change }) => (change === 'changed' ? field : change));
    return `${cleanLine(task)} (${[...new Set(fields)].join(', ')})`;
  });
  return someNames(named);
}

/** A way to go on with a run whose file has changed, and what it does. */
export interface DriftChoice {
  readonly command: string;
  readonly effect: string;
}

interface Choosing extends Pick<DriftView, 'drift' | 'canAccept'> {
  /** The command that goes on with the run, without a choice. */
  readonly command: string;
}

/** All of them work. */
export function choicesFor({ command, drift, canAccept }: Choosing): readonly DriftChoice[] {
  const keep = {
    command: `${command} --keep-definition`,
    effect: 'goes on with the definition that the run keeps; the file does not count',
  };
  if (!canAccept) return [keep];
  const accept = {
    command: `${command} --accept-drift`,
    effect: 'goes on with the file as it is now; what has settled stays',
  };
  const redo = redoneTasks(drift);
  if (redo.length === 0 || command.includes(' --redo ')) return [keep, accept];
  const also = {
    command: `${accept.command} --redo ${shellWord(redo.join(','))}`,
    effect: `the same, and re-runs ${redo.map(cleanLine).join(', ')} and all that came of ${redo.length === 1 ? 'it' : 'them'}`,
  };
  return [keep, accept, also];
}

/** Those that have settled and would give another result. What is inside of others is re-run with them. */
function redoneTasks(drift: readonly Drift[]): readonly string[] {
  const settled = drift.filter(({ verdict, change }) => verdict === 'settled' && change === 'changed');
  return [...new Set(settled.flatMap(({ task }) => task?.replace(/\..*/s, '') ?? []))];
}

function choiceIn(command: string): string {
  return command.slice(command.search(/ --(keep|accept)-d/));
}

/** What each choice does, and then the commands. */
export function printChoices({ output }: Context, choices: readonly DriftChoice[]): void {
  output.print('Choose the definition to continue with:');
  output.table(choices.map(({ command, effect }) => [` ${choiceIn(command)}`, effect]));
  output.print('  approve, answer, reject, retry and skip take the same flags.');
  const [first, ...others] = choices.map(({ command }) => command);
  output.next(first!, ...others);
}

/** Refused until somebody chooses the definition to continue with. */
export function changedError(run: string, choosing: Choosing, cause?: PitonError): PitonError {
  const { drift } = choosing;
  const choices = choicesFor(choosing);
  const obstacles = drift.filter(({ verdict }) => verdict === 'structural');
  const why = obstacles.map(({ task = 'workflow', effect }) => `${cleanLine(task)}: ${effect}`).join('; ');
  const changed = `The file of run ${run} has changed since: ${driftInShort(drift)}.`;
  const refused = why === '' ? '' : ` It cannot be accepted as it is: ${why}.`;
  return new PitonError('RUN_CHANGED', cause?.message ?? `${changed}${refused}`, {
    run,
    drift,
    choices,
    ...(cause !== undefined && { cause }),
    remedy: [
      'Choose the definition to continue with:',
      ...choices.map(({ command, effect }) => `  ${command}\n      ${effect}`),
    ].join('\n'),
  });
}
