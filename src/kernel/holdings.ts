import type { EventOf } from '../model/index.ts';
import { giveUp, keep, mergeLimit, poolLimit } from './limits.ts';
import type { RunState, TaskState } from './run-state.ts';

/** Until it settles, the place is its own. */
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
  giveUp(state, poolLimit(item.parent));
}

export function propose(state: RunState, task: TaskState, data: EventOf<'merge.proposed'>['data']): void {
  // What is proposed anew, since it could not land as it was, is still its one turn.
  if (task.proposal === undefined) keep(state, mergeLimit, 1);
  task.proposal = { ...data, isVerified: false };
}

/** Others may merge: they need not wait for a person, or a time. */
export function dropProposal(state: RunState, task: TaskState): void {
  if (task.proposal === undefined) return;
  delete task.proposal;
  giveUp(state, mergeLimit);
}

/** After the agenda was made anew: what is kept between attempts is still kept. */
export function keepHoldings(state: RunState, task: TaskState): void {
  if (task.slot !== undefined) keep(state, poolLimit(task.item!.parent), task.spec.pool!);
  if (task.proposal !== undefined) keep(state, mergeLimit, 1);
}
