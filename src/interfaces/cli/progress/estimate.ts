import type { TaskCounts, WatchedRun } from '../../../library/index.ts';

/**
 * Milliseconds until the end, if every task that is left takes as long as those that have ended. Undefined as long as
 * nothing is known, where the number of tasks is not (graphs), and where a person or a timer decides.
 */
export function estimateLeft(view: WatchedRun, counts: TaskCounts, now: number): number | undefined {
  const { ended } = view;
  if (ended.count === 0 || counts.settled === counts.total || !isLeftToItself(view, counts)) return undefined;
  const mean = ended.totalMs / ended.count;
  const waiting = counts.total - counts.settled - counts.running;
  return (mean * waiting + leftOfRunning(view, mean, now)) / parallelism(view);
}

function isLeftToItself({ status, workflow }: WatchedRun, { held, delayed }: TaskCounts): boolean {
  return status === 'running' && workflow?.form === 'tasks' && held === 0 && delayed === 0;
}

function leftOfRunning(view: WatchedRun, mean: number, now: number): number {
  let left = 0;
  for (const { status, isGroup, attempt } of view.tasks()) {
    if (status !== 'running' || isGroup || attempt === undefined) continue;
    left += Math.max(mean - (now - attempt.startedAt), 0);
  }
  return left;
}

/** As many as have been seen to run at once: limits, locks and needs allowed it. */
function parallelism({ maxParallel, mostRunning }: WatchedRun): number {
  return Math.max(Math.min(mostRunning, maxParallel), 1);
}
