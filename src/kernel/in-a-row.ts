import type { RunState, TaskState } from './run-state.ts';

/** How often in a row a task has failed like that, with the one that is happening now. */
export function timesTheSame({ tally: { sameness } }: TaskState, key: string): number {
  return sameness?.key === key ? sameness.times + 1 : 1;
}

/** With the one that is happening now. Progress of any task begins the count anew. */
export function interruptionsInARow(state: RunState, task: TaskState): number {
  const { settledAtInterruption, interruptions } = task.tally;
  return settledAtInterruption === state.counts.settled ? interruptions + 1 : 1;
}

/** Fold of an interruption. */
export function countInterruption(state: RunState, task: TaskState): void {
  task.tally = {
    ...task.tally,
    interruptions: interruptionsInARow(state, task),
    settledAtInterruption: state.counts.settled,
  };
}
