import type { Event, Failure } from '../model/index.ts';
import { cancellingOf, taskAt, type RunState, type ScopeState } from './run-state.ts';

/** How a scope ends is how its owner ends: a task, or the run itself. */
export function failedEnd({ owner }: ScopeState, failure: Failure): Event {
  return owner === ''
    ? { type: 'run.failed', data: { failure } }
    : { type: 'task.failed', task: owner, data: { failure } };
}

/** If the scope, or one around it, is being cancelled by a person. */
export function cancelledEnd(state: RunState, scope: ScopeState): Event | undefined {
  const around = scope.owner === '' ? undefined : cancellingOf(state, taskAt(state, scope.owner));
  const cancelling = around ?? (scope.cancelling?.failFast === false ? scope.cancelling : undefined);
  if (cancelling === undefined) return undefined;
  const data = { reason: cancelling.reason };
  return scope.owner === ''
    ? { type: 'run.cancelled', data }
    : { type: 'task.cancelled', task: scope.owner, data };
}
