import { dropProposal, leaveSlot, standAside } from './holdings.ts';
import { release } from './limits.ts';
import {
  addressOf,
  cancellingOf,
  countsAsSuccess,
  isGroup,
  scopeAt,
  scopesAround,
  taskAt,
  isFailFastItem,
  tooManyFailed,
  type Cancelling,
  type GroupState,
  type RunState,
  type ScopeState,
  type TaskState,
} from './run-state.ts';
import { finishedOf } from './stage.ts';
import { indexOf } from './workflow-index.ts';
import { isAsking, isSettled, type Life } from './life.ts';

/** Moves a task to another place in its life and keeps the counts true. */
export function setLife(state: RunState, task: TaskState, life: Life): void {
  countLife(state, task, -1);
  task.life = life;
  countLife(state, task, +1);
}

function countLife(state: RunState, task: TaskState, by: 1 | -1): void {
  const { life } = task;
  if (life.status === 'held' || isAsking(life)) state.counts.held += by;
  else if (life.status === 'delayed') state.counts.delayed += by;
  else if (life.status === 'running' && life.attempt !== undefined) state.counts.running += by;
  else if (isSettled(life) && !isGroup(state, task)) state.counts.settled += by;
}

/** Somebody has to decide: until then, nobody else waits for it. */
export function holdTask(state: RunState, task: TaskState, life: Life & { readonly status: 'held' }): void {
  dropProposal(state, task);
  standAside(state, task);
  setLife(state, task, life);
}

/** Whether it holds its slots and locks: an attempt under way, or a scope of its own that is open. */
export function isOccupying(task: TaskState): boolean {
  return task.life.status === 'running' && task.group === undefined;
}

/** The task's slots and locks are free again. */
export function vacate(state: RunState, task: TaskState): void {
  release(state, task);
  setLife(state, task, { status: 'pending' });
}

/** A task has come to its end: whoever waited for it is told. */
export function settleTask(state: RunState, task: TaskState, life: Life): void {
  if (isOccupying(task)) vacate(state, task);
  dropProposal(state, task);
  leaveSlot(state, task);
  setLife(state, task, life);
  task.endedAt = state.at;
  task.endedIn = state.seq;
  if (task.item !== undefined) settleItem(state, task, task.item.parent);
  else settleInScope(state, task, scopeAt(state, task.scope));
}

function settleItem(state: RunState, task: TaskState, parentAddress: string): void {
  const parent = taskAt(state, parentAddress);
  const group = parent.group!;
  group.unsettled--;
  if (!countsAsSuccess(task) && task.life.status !== 'skipped') failItem(state, parent, group);
  if (group.unsettled === 0) state.agenda.concluded.push(parentAddress);
}

/** The others are doomed once: at the failure that is one too many, not at each that follows. */
function failItem(state: RunState, parent: TaskState, group: GroupState): void {
  group.failed++;
  if (group.failed !== parent.spec.forEach!.maxFailures + 1) return;
  for (const item of group.items) {
    for (const { address } of withBelow(state, taskAt(state, item))) state.agenda.doomed.push(address);
  }
}

function settleInScope(state: RunState, task: TaskState, scope: ScopeState): void {
  scope.unsettled--;
  if (scope.graph !== undefined) return state.agenda.moving.push(scope.owner);
  releaseDependants(state, task);
  if (task.life.status === 'failed' && !task.spec.continueOnError) failScope(state, task, scope);
  // Unless the whole scope is being cancelled (which then is how it ends), one task less is a failure of the scope.
  else if (task.life.status === 'cancelled') scope.failed ??= task.address;
  if (scope.unsettled === 0) state.agenda.concluded.push(scope.owner);
}

function releaseDependants(state: RunState, task: TaskState): void {
  const succeeded = countsAsSuccess(task);
  if (task.life.status === 'failed' && !task.spec.continueOnError) tellOfFailure(state, task);
  for (const dependant of dependantsOf(state, task)) {
    dependant.needFailed ||= !succeeded;
    if (--dependant.unmet === 0) state.agenda.undecided.push(dependant.address);
  }
}

/**
 * All that depends on it, directly or not, knows at once: one in between may be skipped or cancelled before what it needs has settled.
 * Each is told once, however many fail.
 */
export function tellOfFailure(state: RunState, task: TaskState): void {
  const telling = [task];
  for (let teller = telling.pop(); teller !== undefined; teller = telling.pop()) {
    for (const dependant of dependantsOf(state, teller)) {
      if (dependant.ancestorFailed) continue;
      dependant.ancestorFailed = true;
      telling.push(dependant);
    }
  }
}

/** Who needs it, of the same scope. */
export function dependantsOf(state: RunState, { scope, spec }: TaskState): TaskState[] {
  const names = indexOf(scopeAt(state, scope).workflow).dependants.get(spec.name) ?? [];
  return names.map((name) => taskAt(state, addressOf(scope, name)));
}

function failScope(state: RunState, task: TaskState, scope: ScopeState): void {
  scope.failed ??= task.address;
  if (!scope.workflow.failFast || scope.cancelling !== undefined) return;
  cancelScope(state, scope, { reason: `${task.address} failed`, failFast: true });
}

/** From now on nothing is started in the scope; what waits there is doomed. */
export function cancelScope(state: RunState, scope: ScopeState, cancelling: Cancelling): void {
  scope.cancelling = cancelling;
  for (const task of tasksWithin(state, scope)) {
    if (!isSettled(task.life)) state.agenda.doomed.push(task.address);
  }
}

/** Every task below a scope that may be unsettled, nested ones included. */
export function* tasksWithin(state: RunState, scope: ScopeState): Generator<TaskState> {
  if (scope.graph !== undefined) {
    if (scope.graph.visit !== undefined) yield* withBelow(state, taskAt(state, scope.graph.visit));
    return;
  }
  for (const { name } of scope.workflow.tasks) {
    yield* withBelow(state, taskAt(state, addressOf(scope.owner, name)));
  }
}

function* withBelow(state: RunState, task: TaskState): Generator<TaskState> {
  yield task;
  for (const item of task.group?.items ?? []) yield* withBelow(state, taskAt(state, item));
  const scope = state.scopes.get(task.address);
  if (scope !== undefined) yield* tasksWithin(state, scope);
}

/** Why a task must not be started (again), if it must not: its scope is being cancelled, or too many other items have failed. */
export function doomOf(state: RunState, task: TaskState): string | undefined {
  return reasonToStop(state, task) ?? tooManyFailed(state, task)?.reason;
}

/** The same of one that waits for its turn: what an agent has finished is still checked, however many others have failed. */
export function doomOfWaiting(state: RunState, task: TaskState): string | undefined {
  const isInTheMiddle = task.life.status === 'pending' && finishedOf(task.stage) !== undefined;
  return isInTheMiddle ? reasonToStop(state, task) : doomOf(state, task);
}

/** Whether its failure may stop others that run. */
export function isFailFast(state: RunState, task: TaskState): boolean {
  return (
    isFailFastItem(state, task) || [...scopesAround(state, task)].some(({ workflow }) => workflow.failFast)
  );
}

/** Why a running attempt is to be stopped, if it is: its scope is being cancelled, or with fail-fast its for-each has failed. */
export function reasonToStop(state: RunState, task: TaskState): string | undefined {
  return cancellingOf(state, task)?.reason;
}
