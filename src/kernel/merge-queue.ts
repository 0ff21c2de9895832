import type { RunState, TaskState } from './run-state.ts';
import { finishedOf } from './stage.ts';
import { nextKind } from './turns.ts';

/** Tasks that are done and checked, and wait for their turn to be brought to the others, in their order. */
export function waitingToMerge(state: RunState): TaskState[] {
  const waiting: TaskState[] = [];
  for (const task of state.tasks.values()) {
    const { life, stage, workspace } = task;
    if (life.status !== 'pending' || finishedOf(stage) === undefined || workspace === undefined) continue;
    if (nextKind(state, task) === 'integrate') waiting.push(task);
  }
  return waiting.sort((one, other) => one.order - other.order);
}

/** Who brings in at this moment what this one has made: it cannot be kept from landing any more. */
export function landingWith(state: RunState, { address }: TaskState): TaskState | undefined {
  return [...state.tasks.values()].find(
    ({ life, stage }) =>
      life.status === 'running' && stage.name === 'integrate' && stage.verified?.members.includes(address),
  );
}
