import type { Command, Event } from '../model/index.ts';
import { whyStale } from './beliefs.ts';
import { gateRemedy } from './decide-gate.ts';
import { released } from './released.ts';
import { statusOfTask, type RunState, type TaskState } from './run-state.ts';
import { accept, refuse, type Verdict } from './verdict.ts';

/** Something is wrong with the place of the task: a person may have it put right in these ways, the likeliest to work first. */
export function heldForPlace(task: TaskState, reason: string, code = ''): Event {
  const retry = lost.has(code) ? [...ofPlaces, 'retry'] : ['retry', ...ofPlaces];
  const ways = new Set([...firstWays(task, code), ...retry, 'skip']);
  const actions = [...ways].filter((way) => canWork(task, way, code));
  return { type: 'task.held', task: task.address, data: { reason, actions } };
}

/** To retry would bring these to the very same end, unless somebody has changed something in the place before. */
function firstWays({ workspace }: TaskState, code: string): readonly string[] {
  if (code === 'MERGE_CONFLICT') return ['resolve'];
  if (adoptable.has(code)) return ['adopt'];
  if (lost.has(code)) return [workspace?.snapshot === undefined ? 'recreate' : 'restore'];
  return [];
}

/** A person may take these results as they are. A secret is not among them: what is offered first must not publish it. */
const adoptable: ReadonlySet<string> = new Set(['WRITES_EXCEEDED', 'STEERING_CHANGED']);

/** The place is gone, or something else is there: it can be made again, and what is there is kept. */
const lost: ReadonlySet<string> = new Set(['WORKSPACE_GONE', 'WORKTREE_REFUSED']);

function canWork({ workspace }: TaskState, way: string, code: string): boolean {
  if (!ofPlaces.has(way)) return true;
  if (workspace === undefined) return false;
  if (way === 'restore') return workspace.snapshot !== undefined;
  // Of nothing, no result would come, and it would pass for one; and where it was tried already, it is no way out.
  return way !== 'adopt' || (code !== 'WORKSPACE_GONE' && !(lost.has(code) && workspace.isAdopted === true));
}

const ofPlaces: ReadonlySet<string> = new Set(['recreate', 'restore', 'adopt', 'discard']);

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
  if (life.waitsFor.type === 'gate') return gateRemedy(task);
  if (life.waitsFor.type === 'session') return life.reason;
  if (workspace === undefined) return `${address} has no place of its own`;
  if (action === 'restore' && from === undefined && workspace.snapshot === undefined)
    return `nothing of ${address} was saved: recreate it from its branch`;
  return undefined;
}
