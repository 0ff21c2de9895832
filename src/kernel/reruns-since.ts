import { isSettled } from './life.ts';
import { rerunsIn } from './reruns.ts';
import type { Reruns } from './decide-reopen.ts';
import { isGroup, type RunState, type TaskState } from './run-state.ts';

/** What a run has done that is yet to be done in a fork of it. `at`: the fork when it begins. */
export function rerunsSince(now: RunState, at: RunState): Reruns {
  const again = [...now.tasks.values()].filter((task) => hasRunSince(task, at));
  const names = new Set(again.map(({ address }) => address));
  const outermost = again.filter(({ item, scope }) => !names.has(item?.parent ?? scope));
  const { version, delivered } = now;
  const isNew = delivered !== undefined && at.delivered === undefined;
  return {
    version,
    tasks: rerunsIn(
      now,
      outermost.map(({ address }) => address),
    ),
    ...(isNew && { delivered }),
  };
}

/** What consists of others, and had begun, goes on with those of them that are left. */
function hasRunSince({ address, life, attempts }: TaskState, at: RunState): boolean {
  if (!isSettled(life) && attempts === 0) return false;
  const before = at.tasks.get(address);
  if (before === undefined) return true;
  return !isSettled(before.life) && !isGroup(at, before);
}
