import type { RunState, TaskState } from './run-state.ts';
import { nextKind } from './turns.ts';

/** Tasks that are done and checked, and wait for their turn to be brought to the others, in their order. */
export function waitingToMerge(state: RunState): TaskState[] {
  const waiting: TaskState[] = [];
  for (const task of state.tasks.values()) {
    const { life, finished, workspace } = task;
    if (life.status !== 'pending' || finished === undefined || workspace === undefined) continue;
    if (nextKind(state, task) === 'integrate') waiting.push(task);
  }
  return waiting.sort((one, other) => one.order - other.order);
}

/** Who brings in at this moment what this one has made: it cannot be kept from landing any more. */
export function landingWith(state: RunState, { address }: TaskState): TaskState | undefined {
  return [...state.tasks.values()].find(
    ({ life, proposal }) =>
      life.status === 'running' && proposal?.isVerified === true && proposal.members.includes(address),
  );
}
