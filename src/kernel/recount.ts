import {
  addressOf,
  countsAsSuccess,
  isGroup,
  taskAt,
  type RunState,
  type ScopeState,
  type TaskState,
} from './run-state.ts';
import { tellOfFailure } from './settle-task.ts';
import { isAsking, isSettled, type Life } from './life.ts';

/** What the tasks of a scope are to know of those they need, from what these are now; all of them, in any order. */
export function recountNeeds(state: RunState, tasks: readonly TaskState[]): void {
  for (const task of tasks) {
    const needs = task.spec.needs.map((need) => taskAt(state, addressOf(task.scope, need)));
    const settled = needs.filter(({ life }) => isSettled(life));
    task.unmet = needs.length - settled.length;
    task.needFailed = settled.some((need) => !countsAsSuccess(need));
    task.ancestorFailed = false;
  }
  for (const task of tasks.filter(failureCounts)) tellOfFailure(state, task);
}

export function failureCounts({ life, spec }: TaskState): boolean {
  return life.status === 'failed' && !spec.continueOnError;
}

export function failsItsGroup(item: TaskState): boolean {
  return isSettled(item.life) && !countsAsSuccess(item) && item.life.status !== 'skipped';
}

/** What a scope knows of its tasks, as if nothing had happened but what they are now. */
export function recountScope(state: RunState, scope: ScopeState): void {
  const members = membersOf(state, scope);
  scope.unsettled = members.filter(({ life }) => !isSettled(life)).length;
  delete scope.failed;
  delete scope.cancelling;
  if (scope.graph !== undefined) return;
  recountNeeds(state, members);
  const ended = members.toSorted((a, b) => (a.endedIn ?? 0) - (b.endedIn ?? 0) || a.order - b.order);
  const failed = ended.find((task) => failureCounts(task) || task.life.status === 'cancelled');
  if (failed !== undefined) scope.failed = failed.address;
  const stopping = scope.workflow.failFast ? ended.find(failureCounts) : undefined;
  if (stopping !== undefined) scope.cancelling = { reason: `${stopping.address} failed`, failFast: true };
}

/** The tasks that a scope consists of; of a graph the last visit, the others having settled for good. */
export function membersOf(state: RunState, { owner, workflow, graph }: ScopeState): TaskState[] {
  if (graph !== undefined) return graph.visit === undefined ? [] : [taskAt(state, graph.visit)];
  return workflow.tasks.map(({ name }) => taskAt(state, addressOf(owner, name)));
}

export function recountGroup(state: RunState, { group }: TaskState): void {
  const items = group!.items.map((address) => taskAt(state, address));
  group!.unsettled = items.filter(({ life }) => !isSettled(life)).length;
  group!.failed = items.filter(failsItsGroup).length;
}

export function recountAll(state: RunState): void {
  const { tasks, counts } = state;
  const lives = Array.from(tasks.values(), ({ life }) => life);
  const counted = [...tasks.values()].filter((task) => !isGroup(state, task));
  const count = (isCounted: (life: Life) => boolean): number => lives.filter(isCounted).length;
  counts.total = counted.length;
  counts.settled = counted.filter(({ life }) => isSettled(life)).length;
  counts.running = count(
    (life) => life.status === 'running' && life.attempt !== undefined && !isAsking(life),
  );
  counts.held = count((life) => life.status === 'held' || isAsking(life));
  counts.delayed = count(({ status }) => status === 'delayed');
}
