import type { RunState, TaskState } from './run-state.ts';

/** The lowest number of its pool that nobody has; undefined: it has one already, or is in no pool. */
export function freeSlot(state: RunState, { item, spec, slot }: TaskState): number | undefined {
  if (item === undefined || spec.pool === undefined || slot !== undefined) return undefined;
  const holders = state.pools[item.parent]?.holders ?? {};
  let number = 1;
  while (number in holders) number++;
  return number;
}

/** Whether the place of its pool that it has, or would get, was made usable by another item. */
export function isSlotEquipped(state: RunState, task: TaskState): boolean {
  const slot = task.slot ?? freeSlot(state, task);
  return slot !== undefined && state.pools[task.item!.parent]?.equipped.includes(slot) === true;
}
