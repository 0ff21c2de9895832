import type { RunState, TaskState } from '../kernel/index.ts';
import { unknownTask } from '../model/index.ts';
import { isWithin, type Checkpoint } from '../views/index.ts';

/** Throws `TASK_UNKNOWN`. */
export function taskOf({ run, tasks }: RunState, address: string): TaskState {
  const task = tasks.get(address);
  if (task !== undefined) return task;
  throw unknownTask(run, address, [...tasks.keys()]);
}

/** A name that no task has is more likely misspelt than silent. `task`: an address, or what it begins with. Throws `TASK_UNKNOWN`. */
export function assertTask({ run, tasks }: Pick<Checkpoint, 'run' | 'tasks'>, task: string): void {
  const known = Object.keys(tasks);
  if (!known.some((address) => isWithin(address, task))) throw unknownTask(run, task, known);
}
