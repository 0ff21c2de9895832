import { giveUp, keep, mergeLimit, poolLimit } from './limits.ts';
import type { RunState, TaskState } from './run-state.ts';
import { finishedOf, proposalOf, withoutProposal, type Proposal } from './stage.ts';

/**
 * Until it settles, the place is its own: a person who is asked finds all as it was left. But so many are at work as the pool
 * has places, however many wait for people.
 */
export function takeSlot(state: RunState, task: TaskState, number: number): void {
  const { parent } = task.item!;
  const pool = (state.pools[parent] ??= { holders: {}, equipped: [] });
  pool.holders[number] = task.address;
  task.slot = number;
  keep(state, poolLimit(parent), task.spec.pool!);
}

export function leaveSlot(state: RunState, task: TaskState): void {
  const { slot, item } = task;
  if (slot === undefined || item === undefined) return;
  const pool = state.pools[item.parent];
  if (pool !== undefined) delete pool.holders[slot];
  delete task.slot;
  if (task.isAside === true) delete task.isAside;
  else giveUp(state, poolLimit(item.parent));
}

/** It waits for a person. */
export function standAside(state: RunState, task: TaskState): void {
  if (task.slot === undefined || task.isAside === true) return;
  task.isAside = true;
  giveUp(state, poolLimit(task.item!.parent));
}

/** It is at work again. */
export function comeBack(state: RunState, task: TaskState): void {
  if (task.isAside !== true) return;
  delete task.isAside;
  keep(state, poolLimit(task.item!.parent), task.spec.pool!);
}

export function propose(state: RunState, task: TaskState, data: Proposal): void {
  // What is proposed anew, since it could not land as it was, is still its one turn.
  if (proposalOf(task.stage) === undefined) keep(state, mergeLimit, 1);
  task.stage = { name: 'verify', finished: finishedOf(task.stage) ?? {}, proposal: data };
}

/** Others may merge: they need not wait for a person, or a time. */
export function dropProposal(state: RunState, task: TaskState): void {
  if (proposalOf(task.stage) === undefined) return;
  task.stage = withoutProposal(task.stage);
  giveUp(state, mergeLimit);
}

/** After the agenda was made anew: what is kept between attempts is still kept. */
export function keepHoldings(state: RunState, task: TaskState): void {
  if (task.slot !== undefined && task.isAside !== true)
    keep(state, poolLimit(task.item!.parent), task.spec.pool!);
  if (proposalOf(task.stage) !== undefined) keep(state, mergeLimit, 1);
}
