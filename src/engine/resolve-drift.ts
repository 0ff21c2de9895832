import { PitonError } from '../base/index.ts';
import {
  decideReopen,
  driftOf,
  taskAt,
  type Drift,
  type Reopened,
  type Reopening,
  type RunState,
} from '../kernel/index.ts';
import { functionsOf, type Event, type EventOf, type Sender, type Workflow } from '../model/index.ts';
import type { Program } from './program.ts';

/**
 * With which definition a run goes on: the one it was started with, unless the given one is accepted and touches nothing
 * that has begun. Throws `RUN_CHANGED` if it does, or if what has to be called is not there any more.
 */
export function resolveDrift(
  state: RunState,
  program: Program,
  accept: boolean,
): { readonly workflow: Workflow; readonly events: Event[] } {
  const { run, workflow: stored } = state;
  const { workflow: given } = program;
  if (given.hash === stored.hash) return { workflow: stored, events: [] };
  const drifts = driftOf(state, given);
  const begun = drifts.filter((drift) => drift.begun).map(({ task, change }) => `${task} (${change})`);
  if (begun.length > 0)
    throw changed(run, drifts, `tasks it has begun are different now: ${begun.join(', ')}`);
  if (given.form !== stored.form) {
    throw changed(run, drifts, `it was of the form ${stored.form}, and is of the form ${given.form} now`);
  }
  if (accept) return { workflow: given, events: [{ type: 'drift.accepted', data: { workflow: given } }] };
  const missing = [...functionsOf(stored)].filter((name) => !program.knows(name));
  if (missing.length > 0)
    throw changed(run, drifts, `it calls what is not there any more: ${missing.join(', ')}`);
  return { workflow: stored, events: [] };
}

/** Whoever gives up a task may have taken it out of the file as well. */
export function isPartOf(workflow: Workflow, state: RunState, { task }: EventOf<'task.skipped'>): boolean {
  const { scope, spec } = taskAt(state, task);
  return scope !== '' || workflow.tasks.some(({ name }) => name === spec.name);
}

/** Settled tasks that are to be done again, or gone on without, with all that came of them. Throws `REDO_REFUSED`. */
export function reopen(state: RunState, wish: Reopening, by: Sender): Reopened {
  const { run } = state;
  const decided = decideReopen(state, wish);
  if ('events' in decided) {
    const [reopened, ...skips] = decided.events;
    return [{ ...reopened, data: { ...reopened.data, by } }, ...skips];
  }
  throw new PitonError('REDO_REFUSED', `Run ${run} cannot take that up again: ${decided.refusal}.`, {
    run,
    ...wish,
    remedy: `See how it stands with \`piton status ${run}\`; \`piton retry ${run}\` tries all that failed together, \`piton skip ${run} <task> …\` goes on without those you name.`,
  });
}

function changed(run: string, drifts: readonly Drift[], what: string): PitonError {
  return new PitonError('RUN_CHANGED', `Run ${run} cannot go on with this definition: ${what}.`, {
    run,
    drifts,
    remedy:
      'Use the definition it was started with, accept the new one where nothing has begun, or start a new run.',
  });
}
