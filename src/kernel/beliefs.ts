import { statusOfTask, type RunState, type TaskState } from './run-state.ts';

/** It has begun, or somebody has decided about it: what was decided about it before may not be wanted any more. */
export function noteProgress(state: RunState, task: TaskState): void {
  task.version = state.version;
}

/**
 * Why a decision about tasks is refused: whoever made it saw the run as it was at the version `seen`, and one of them has gone on
 * since. That what was under way then has ended is no reason: a decision about a run whose driver is dead comes after that, too.
 */
export function whyStale(
  { tasks }: RunState,
  addresses: readonly string[],
  seen: number | undefined,
): string | undefined {
  if (seen === undefined) return undefined;
  const task = addresses.map((address) => tasks.get(address)).find((found) => found && found.version > seen);
  return task && `${task.address} has gone on since you looked at it: it is ${statusOfTask(task)} now`;
}
