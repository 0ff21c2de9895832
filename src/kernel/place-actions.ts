import type { Command, Event } from '../model/index.ts';
import { whyStale } from './beliefs.ts';
import { released } from './released.ts';
import { statusOfTask, type RunState, type TaskState } from './run-state.ts';
import { accept, refuse, type Verdict } from './verdict.ts';

/** Something is wrong with the place of the task: a person may have it put right in these ways. */
export function heldForPlace(
  { address, workspace }: TaskState,
  reason: string,
  first: readonly string[] = [],
): Event {
  const ofPlace = workspace === undefined ? [] : ['recreate', 'restore', 'adopt', 'discard'];
  const actions = [...new Set([...first, 'retry', ...ofPlace, 'skip'])];
  return { type: 'task.held', task: address, data: { reason, actions } };
}

type PlaceCommand = Extract<Command, { type: 'place' }>;

/** A person says what is to be done with the place of a held task; the next attempt does it first. `id`: of the command. */
export function orderPlace(state: RunState, command: PlaceCommand, id: string): Verdict {
  const { task: address, action, from } = command;
  const task = state.tasks.get(address);
  if (task === undefined) return refuse(`the run has no task ${address}`);
  const why = whyStale(state, [address], command.seen) ?? whyNot(task, command);
  if (why !== undefined) return refuse(why);
  const data = { id, action, ...(from !== undefined && { from }) };
  const ordered: Event = { type: 'workspace.ordered', task: address, data };
  return accept(`${address} ${answers[action]}`, ordered, released(task));
}

const answers: Readonly<Record<PlaceCommand['action'], string>> = {
  recreate: 'gets its place anew, from what is on its branch',
  restore: 'gets its place back as it was saved',
  adopt: 'goes on with its place as it is',
  discard: 'begins from scratch; what was in its place is kept in the archive',
};

function whyNot(task: TaskState, { action, from }: PlaceCommand): string | undefined {
  const { address, life, workspace } = task;
  if (life.status !== 'held') return `${address} is ${statusOfTask(task)}, not held`;
  if (life.waitsFor.type === 'gate') return `${address} waits for approval: approve or reject it`;
  if (life.waitsFor.type === 'session') return life.reason;
  if (workspace === undefined) return `${address} has no place of its own`;
  if (action === 'restore' && from === undefined && workspace.snapshot === undefined)
    return `nothing of ${address} was saved: recreate it from its branch`;
  return undefined;
}
