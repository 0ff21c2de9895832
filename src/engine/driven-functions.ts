import type { RunState } from '../kernel/index.ts';
import { unversionedFunctions, type EventOf } from '../model/index.ts';
import type { Observers } from './observers.ts';
import type { Program } from './program.ts';
import { openWorkflow } from './resolve-drift.ts';

/** Functions with which a run is driven from now on, and has not been before. */
export type DrivenFunctions = NonNullable<EventOf<'lease.taken'>['data']['functions']>;

interface Taking {
  /** The run as it is found. */
  readonly before: RunState;
  readonly observers: Observers;
}

/**
 * The functions that are still to be called and have no `version`, as far as their text is not what the journal knows. One that has a
 * version is compared by that alone, and a new version of the workflow speaks for all of them.
 */
export function drivenFunctions(state: RunState, program: Program, taking?: Taking): DrivenFunctions {
  const sources = program.sources();
  const isOtherVersion = taking?.before.workflow.version !== state.workflow.version;
  const functions = [...new Set(unversionedFunctions(openWorkflow(state)))].flatMap((name) => {
    const [known, source] = [state.functions?.[name], sources[name]];
    if (source === undefined || source === known?.source) return [];
    return [{ name, source, ...(known !== undefined && !isOtherVersion && { since: known.at }) }];
  });
  if (taking?.observers.isEmpty === true) warnOfChanges(state.run, functions);
  return functions;
}

/** Observers are told by the event; where nobody observes, the process is. */
function warnOfChanges(run: string, functions: DrivenFunctions): void {
  const names = functions.filter(({ since }) => since !== undefined).map(({ name }) => name);
  if (names.length === 0) return;
  const since = new Date(Math.min(...functions.map((one) => one.since ?? Infinity))).toISOString();
  const [what, whose] = names.length === 1 ? ['function', 'its task'] : ['functions', 'their tasks'];
  process.emitWarning(
    `Run ${run} goes on with other text of the ${what} ${names.join(', ')} than it was driven with since ${since}. If that does the same, give ${whose} a \`version\`, which is compared instead; if not, raise the \`version\`, or re-run what it has done.`,
    { type: 'PitonWarning', code: 'PITON_FUNCTION_CHANGED' },
  );
}
