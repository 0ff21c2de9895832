import { membersOf } from './recount.ts';
import {
  scopeAt,
  statusOfTask,
  taskAt,
  type RunState,
  type ScopeState,
  type TaskState,
} from './run-state.ts';
import { dependantsOf } from './settle-task.ts';
import { gateOf, isSettled } from './life.ts';

/** What has been found so far of what must be done again. Walked through by a list: chains may be long. */
export interface Reach {
  readonly state: RunState;
  readonly reset: Set<TaskState>;
  readonly continued: Set<TaskState>;
  readonly seen: Set<string>;
  readonly steps: (() => void)[];
  readonly refusals: string[];
}

/** Finds all that a wish takes, and why it cannot be, if so. */
export function reachOf(state: RunState, { again, settled }: Named): Reach {
  const reach: Reach = {
    state,
    reset: new Set(),
    continued: new Set(),
    seen: new Set(),
    steps: [],
    refusals: [],
  };
  for (const address of again) name(reach, address);
  for (const address of settled) leave(reach, address);
  for (let step = reach.steps.pop(); step !== undefined; step = reach.steps.pop()) step();
  return reach;
}

interface Named {
  /** To run again. */
  readonly again: readonly string[];
  /** Failed, and to be settled otherwise without running. */
  readonly settled: readonly string[];
}

function name(reach: Reach, address: string): void {
  const task = reach.state.tasks.get(address);
  if (task === undefined) reach.refusals.push(`the run has no task ${address}`);
  else if (!cameOfNeeds(task)) reach.refusals.push(`${address} has not begun: there is nothing to do again`);
  else reset(reach, task);
}

function leave(reach: Reach, address: string): void {
  const task = reach.state.tasks.get(address);
  if (task === undefined) reach.refusals.push(`the run has no task ${address}`);
  else if (task.life.status !== 'failed') reach.refusals.push(`${address} is ${statusOfTask(task)}`);
  // To settle it otherwise would undo what has been done since, too.
  else if (task.spec.continueOnError)
    reach.refusals.push(`${address} may fail, and the run has gone on without it`);
  else reset(reach, task);
}

function hasBegun({ life, key }: TaskState): boolean {
  return key !== undefined || isSettled(life) || life.status === 'running';
}

function reset(reach: Reach, task: TaskState): void {
  if (reach.reset.has(task)) return;
  reach.reset.add(task);
  if (task.life.status === 'running') reach.refusals.push(`${task.address} is running`);
  else undoSettling(reach, task);
}

/** It goes on, with all in it that is not to be done again. */
function goOn(reach: Reach, task: TaskState): void {
  if (!isSettled(task.life) || reach.continued.has(task)) return;
  reach.continued.add(task);
  undoSettling(reach, task);
}

function undoSettling(reach: Reach, task: TaskState): void {
  const { state, steps } = reach;
  const scope = scopeAt(state, task.scope);
  if (scope.graph !== undefined && task.item === undefined) checkVisit(reach, task, scope);
  else if (task.item === undefined && isSettled(task.life)) followDependants(reach, task);
  steps.push(() => {
    if (task.item !== undefined) return enterGroup(reach, taskAt(state, task.item.parent));
    enterScope(reach, scope);
  });
}

function checkVisit({ refusals }: Reach, { address, life }: TaskState, { graph }: ScopeState): void {
  if (graph!.visit !== address)
    refusals.push(`only the last visit of a graph can be done again: ${graph!.visit}, not ${address}`);
  else if (life.status === 'succeeded')
    refusals.push(`${address} succeeded, and what it changed in the state stays: it cannot be done again`);
}

function followDependants(reach: Reach, task: TaskState): void {
  for (const dependant of dependantsOf(reach.state, task)) {
    if (reach.seen.has(dependant.address)) continue;
    reach.seen.add(dependant.address);
    reach.steps.push(() => {
      if (cameOfNeeds(dependant)) reset(reach, dependant);
      followDependants(reach, dependant);
    });
  }
}

/** Not so if it only waits, or is held because nobody knows whether it has begun. */
function cameOfNeeds(task: TaskState): boolean {
  const { life, approved } = task;
  return hasBegun(task) || approved || life.status === 'delayed' || gateOf(life) !== undefined;
}

function enterGroup(reach: Reach, parent: TaskState): void {
  goOn(reach, parent);
  takeUpCancelled(reach, parent.address, () => itemsOf(reach.state, parent));
}

function enterScope(reach: Reach, scope: ScopeState): void {
  if (scope.owner !== '') goOn(reach, taskAt(reach.state, scope.owner));
  takeUpCancelled(reach, `${scope.owner}.`, () => membersOf(reach.state, scope));
}

/** What was not done because of an end that is undone now. Of what consists of others, only the rest is done. */
function takeUpCancelled(reach: Reach, container: string, members: () => TaskState[]): void {
  const { state, seen } = reach;
  const entered = `in ${container}`;
  if (seen.has(entered)) return;
  seen.add(entered);
  for (const task of members()) {
    if (task.life.status !== 'cancelled' || reach.reset.has(task)) continue;
    const scope = state.scopes.get(task.address);
    if (task.group !== undefined) enterGroup(reach, task);
    else if (scope !== undefined) enterScope(reach, scope);
    else reset(reach, task);
  }
}

export function itemsOf(state: RunState, { group }: TaskState): TaskState[] {
  return group!.items.map((address) => taskAt(state, address));
}
