import type { RunState } from '../kernel/index.ts';
import type { TaskStatus } from '../model/index.ts';
import { countTasks } from './checkpoint.ts';

/** Tasks by status, those left out that consist of others. */
export type TaskCounts = Readonly<Record<TaskStatus | 'settled' | 'total', number>>;

export function taskCounts(state: RunState | undefined): TaskCounts {
  const counts = countTasks(state);
  const settled = counts.succeeded + counts.failed + counts.skipped + counts.cancelled;
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { ...counts, settled, total };
}
