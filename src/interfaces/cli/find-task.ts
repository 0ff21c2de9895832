import type { Checkpoint, TaskView } from '../../library/index.ts';
import { unknownTask } from '../../model/index.ts';

/** A task of a run by its address. Throws `TASK_UNKNOWN`. */
export function findTask({ run, tasks }: Pick<Checkpoint, 'run' | 'tasks'>, address: string): TaskView {
  if (Object.hasOwn(tasks, address)) return tasks[address]!;
  throw unknownTask(run, address, Object.keys(tasks));
}
