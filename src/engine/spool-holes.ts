import { addressOf, isSettled, ownerOf, type RunState, type TaskState } from '../kernel/index.ts';
import { isProgram, type TaskSpec } from '../model/index.ts';
import type { WrittenOrder } from '../spool/index.ts';

/**
 * Tasks of which the spool must have had attempts, and has none: others were begun that begin only after they have succeeded. Somebody
 * has removed their folders, and whatever they have done nobody knows.
 */
export function findHoles(state: RunState, orders: readonly WrittenOrder[]): Set<string> {
  const begun = new Set(orders.flatMap(({ task }) => [...owners(state, task)]));
  const reached = new Set(begun);
  const holes = new Set<string>();
  for (const task of reached) {
    for (const need of succeededBefore(state, task)) {
      reached.add(need);
      if (!begun.has(need) && mustHaveFolder(need)) holes.add(need.address);
    }
  }
  return holes;
}

/** It, and what it is a part of, as far as that is there. */
function* owners({ tasks }: RunState, address: string): Generator<TaskState> {
  for (let at = address; at !== ''; at = ownerOf(at)) {
    const task = tasks.get(at);
    if (task !== undefined) yield task;
  }
}

/** Only without a condition does a task say by having begun how others have ended. */
function succeededBefore({ tasks }: RunState, { spec, scope }: TaskState): TaskState[] {
  if (spec.if !== undefined) return [];
  return spec.needs.flatMap((need) => tasks.get(addressOf(scope, need)) ?? []);
}

/** What the journal knows to be under way is looked for as after any crash. */
function mustHaveFolder({ spec, life }: TaskState): boolean {
  return isAlwaysBegun(spec) && !isSettled(life) && life.status !== 'running';
}

/** A for-each may have had no items, and a delivery nothing to deliver. */
function isAlwaysBegun({ work, forEach }: TaskSpec): boolean {
  return forEach === undefined && isProgram(work);
}
