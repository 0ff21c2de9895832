import type { TaskStatus } from '../../src/model/index.ts';

interface Counted {
  readonly status: TaskStatus;
  readonly isGroup?: boolean;
}

/** By looking at every task. Those that consist of others are left out. */
export function countsOf(tasks: readonly Counted[]): Record<string, number> {
  const leaves = tasks.filter(({ isGroup }) => isGroup !== true);
  const counts: Record<TaskStatus, number> = {
    pending: 0,
    queued: 0,
    running: 0,
    delayed: 0,
    held: 0,
    succeeded: 0,
    failed: 0,
    skipped: 0,
    cancelled: 0,
  };
  for (const { status } of leaves) counts[status]++;
  const { succeeded, failed, skipped, cancelled } = counts;
  return { ...counts, settled: succeeded + failed + skipped + cancelled, total: leaves.length };
}
