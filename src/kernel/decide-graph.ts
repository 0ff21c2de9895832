import { mentionsFailure, type EdgeSpec, type Event, type Failure } from '../model/index.ts';
import { failureOf } from './failure-of.ts';
import { cancelledEnd, failedEnd } from './ends.ts';
import { maxStepsOf } from './limits-in-force.ts';
import { scopeAt, taskAt, type RunState, type ScopeState, type TaskState } from './run-state.ts';
import { outputOf, variablesOf } from './variables.ts';
import type { World } from './world.ts';
import { isSettled } from './life.ts';

/** Where a graph goes once its visit has settled, or how it ends there. Undefined: it is still at work. */
export function decideMove(state: RunState, owner: string, world: World): Event | undefined {
  const scope = scopeAt(state, owner);
  const { visit: address, ended } = scope.graph!;
  const visit = address === undefined ? undefined : taskAt(state, address);
  if (ended || !isOpen(state, owner) || (visit !== undefined && !isSettled(visit.life))) return undefined;
  const cancelled = cancelledEnd(state, scope);
  if (cancelled !== undefined) return cancelled;
  return visit === undefined ? take(scope, null, scope.workflow.graph!.start) : leave(state, visit, world);
}

function isOpen(state: RunState, owner: string): boolean {
  return owner === '' || taskAt(state, owner).life.status === 'running';
}

function leave(state: RunState, visit: TaskState, world: World): Event {
  const scope = scopeAt(state, visit.scope);
  try {
    const edge = chooseEdge(state, visit, world);
    if (edge === undefined) return failedEnd(scope, noWayOn(visit));
    if (edge.to !== 'end' && isExhausted(state, scope)) return failedEnd(scope, tooManySteps(scope));
    return take(scope, visit.spec.name, edge.to);
  } catch (thrown) {
    return failedEnd(scope, failureOf(thrown, world));
  }
}

/** A failed visit is left only by an edge that asks for it; one that was skipped, as if it had changed nothing. */
function chooseEdge(state: RunState, visit: TaskState, world: World): EdgeSpec | undefined {
  const { status } = visit.life;
  const failed = (status === 'failed' && !visit.spec.continueOnError) || status === 'cancelled';
  const variables = {
    ...variablesOf(state, visit),
    output: outputOf(state, visit),
    ...(visit.life.status === 'failed' && { error: visit.life.failure }),
    $status: { success: !failed, failure: failed },
  };
  return visit.spec.next?.find(({ if: condition }) => {
    if (failed && !mentionsFailure(condition)) return false;
    return condition === undefined || world.evaluator.test(condition, variables);
  });
}

function isExhausted(state: RunState, scope: ScopeState): boolean {
  return scope.graph!.step >= maxStepsOf(state, scope)!;
}

function noWayOn(visit: TaskState): Failure {
  if (visit.life.status === 'failed') {
    const { failure } = visit.life;
    return { ...failure, message: `${visit.address} failed: ${failure.message}`, retryable: false };
  }
  if (visit.life.status === 'cancelled') {
    const message = `${visit.address} was cancelled: ${visit.life.reason}`;
    return { code: 'TASK_FAILED', message, retryable: false };
  }
  const message = `No edge that leads on from ${visit.spec.name} applies. Add one without a condition as the last.`;
  return { code: 'NO_EDGE', message, retryable: false };
}

function tooManySteps(scope: ScopeState): Failure {
  const message = `After ${scope.graph!.step} steps, its limit (max-steps in a file, maxSteps in code), the graph has not come to its end.`;
  return { code: 'MAX_STEPS', message, retryable: false };
}

function take(scope: ScopeState, from: string | null, to: string): Event {
  const data = { from, to, step: scope.graph!.step + (to === 'end' ? 0 : 1) };
  return scope.owner === '' ? { type: 'edge.taken', data } : { type: 'edge.taken', task: scope.owner, data };
}
