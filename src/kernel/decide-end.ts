import type { Event, Failure } from '../model/index.ts';
import { failureOf } from './failure-of.ts';
import { cancelledEnd, failedEnd } from './ends.ts';
import {
  cancellingOf,
  scopeAt,
  taskAt,
  type GroupState,
  type RunState,
  type ScopeState,
  type TaskState,
} from './run-state.ts';
import { successEvents } from './success.ts';
import { outputsOfScope, variablesOfScope } from './variables.ts';
import type { World } from './world.ts';

/** How something that consists of tasks (the run, a nested workflow, a for-each) ends, all of them having settled. */
export function decideEnd(state: RunState, owner: string, world: World): readonly Event[] {
  if (owner === '') return decideScopeEnd(state, scopeAt(state, ''), world);
  const task = taskAt(state, owner);
  if (task.life.status !== 'running') return [];
  return task.group === undefined
    ? decideScopeEnd(state, scopeAt(state, owner), world)
    : decideGroupEnd(state, task, world);
}

function decideScopeEnd(state: RunState, scope: ScopeState, world: World): readonly Event[] {
  if (scope.unsettled > 0 || scope.graph?.ended === false) return [];
  const cancelled = cancelledEnd(state, scope);
  if (cancelled !== undefined) return [cancelled];
  if (scope.failed !== undefined) return [failedEnd(scope, failureOfTask(taskAt(state, scope.failed)))];
  return succeedScope(state, scope, world);
}

function succeedScope(state: RunState, scope: ScopeState, world: World): readonly Event[] {
  try {
    const { outputs } = scope.workflow;
    const output =
      outputs === undefined ? undefined : world.evaluator.render(outputs, variablesOfScope(state, scope));
    if (scope.owner === '')
      return [{ type: 'run.succeeded', data: output === undefined ? {} : { outputs: output } }];
    const success = {
      ...(output !== undefined && { output }),
      update: output ?? outputsOfScope(state, scope),
    };
    return successEvents(state, taskAt(state, scope.owner), { success, world });
  } catch (thrown) {
    return [failedEnd(scope, failureOf(thrown, world))];
  }
}

function failureOfTask({ address, life }: TaskState): Failure {
  if (life.status !== 'failed') {
    const reason = 'reason' in life ? `: ${life.reason}` : '';
    return { code: 'TASK_FAILED', message: `${address} was ${life.status}${reason}`, retryable: false };
  }
  const { message, stack } = life.failure;
  const told = { code: 'TASK_FAILED', message: `${address} failed: ${message}`, retryable: false };
  return { ...told, ...(stack !== undefined && { stack }) };
}

function decideGroupEnd(state: RunState, parent: TaskState, world: World): readonly Event[] {
  const { unsettled, failed } = parent.group!;
  if (unsettled > 0) return [];
  const cancelling = cancellingOf(state, parent);
  if (cancelling !== undefined && isCutShort(state, parent.group!)) {
    return [{ type: 'task.cancelled', task: parent.address, data: { reason: cancelling.reason } }];
  }
  if (failed > parent.spec.forEach!.maxFailures) return [failGroup(state, parent)];
  return successEvents(state, parent, { success: {}, world });
}

/** However many items may fail: what was not even tried is no result. */
function isCutShort(state: RunState, { items }: GroupState): boolean {
  return items.some((address) => taskAt(state, address).life.status === 'cancelled');
}

function failGroup(state: RunState, parent: TaskState): Event {
  const { failed, items } = parent.group!;
  const tasks = items.map((address) => taskAt(state, address));
  const first = tasks.find(({ life }) => life.status === 'failed');
  const failure = first?.life.status === 'failed' ? first.life.failure : undefined;
  const cause = failure === undefined ? '' : `, first ${first!.address}: ${failure.message}`;
  const cancelled = tasks.filter(({ life }) => life.status === 'cancelled').length;
  // One that failed for many that were never tried is another matter than many that failed.
  const untried = cancelled === 0 ? '' : ` (${cancelled} of them cancelled for the others)`;
  const message = `${failed} of ${items.length} items did not succeed${untried}${cause}`;
  const told = { code: 'ITEMS_FAILED', message, retryable: false };
  const stack = failure?.stack !== undefined && { stack: failure.stack };
  return { type: 'task.failed', task: parent.address, data: { failure: { ...told, ...stack } } };
}
