import { nearest, PitonError } from '../../base/index.ts';
import type { Checkpoint, TaskView } from '../../library/index.ts';

/** A task of a run by its address. Throws `TASK_UNKNOWN`. */
export function findTask({ run, tasks }: Pick<Checkpoint, 'run' | 'tasks'>, address: string): TaskView {
  if (Object.hasOwn(tasks, address)) return tasks[address]!;
  const known = Object.keys(tasks);
  const close = nearest(address, known);
  const list = known.length <= 20 ? `There are ${known.join(', ')}.` : `See piton status ${run}.`;
  throw new PitonError('TASK_UNKNOWN', `Run ${run} has no task ${address}.`, {
    run,
    task: address,
    remedy: close === undefined ? list : `Did you mean ${close}?`,
  });
}
