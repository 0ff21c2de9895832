import type { RunState, TaskState } from './run-state.ts';

/** How often in a row a task has failed like that, with the one that is happening now. */
export function timesTheSame({ sameness }: TaskState, key: string): number {
  return sameness?.key === key ? sameness.times + 1 : 1;
}

/** With the one that is happening now. Progress of any task begins the count anew. */
export function interruptionsInARow(state: RunState, task: TaskState): number {
  return task.settledAtInterruption === state.counts.settled ? task.interruptions + 1 : 1;
}
