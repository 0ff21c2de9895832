import type { RunState, TaskState } from './run-state.ts';

/** Whether all work of a run is done, and only handing it over is not: what it made is whole, and can be taken in another way. */
export function isUndelivered(state: RunState): boolean {
  const tasks = [...state.tasks.values()];
  const isOpen = tasks.some(({ spec, life }) => spec.work.type === 'deliver' && life.status !== 'succeeded');
  return isOpen && tasks.every((task) => task.spec.work.type === 'deliver' || isDone(state, task));
}

function isDone(state: RunState, { life, spec, item }: TaskState): boolean {
  if (life.status === 'succeeded' || life.status === 'skipped') return true;
  if (life.status !== 'failed') return false;
  // So many items may fail without failing the task.
  const parent = item === undefined ? undefined : state.tasks.get(item.parent);
  return spec.continueOnError || parent?.life.status === 'succeeded';
}
