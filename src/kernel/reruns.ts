import type { TaskStatus } from '../model/index.ts';
import { statusOfTask, type RunState, type TaskState } from './run-state.ts';

/** A task that would run again, or be decided about again. */
export interface Rerun {
  readonly task: string;
  /** As it is now. */
  readonly status: TaskStatus;
  /** It, or a task in it, has succeeded: it runs again only if a person agrees to that. */
  readonly hasSucceeded: boolean;
  /** It, or a task in it, has been tried. */
  readonly hasRun: boolean;
  /** How many tasks it consists of. */
  readonly below?: number;
  /** It has had effects that cannot be undone, or may have: its `on-interrupt` is `ask`. */
  readonly isIrreversible?: true;
  /** A person is asked for approval again. */
  readonly asksApproval?: true;
  /** What it has merged stays in the branch of the run. */
  readonly isMerged?: true;
}

export function rerunsIn(state: RunState, addresses: readonly string[]): Rerun[] {
  const members = membersByOwner(state, addresses);
  return addresses.map((address) => rerunOf(members.get(address)!));
}

/** Of each of these, itself and all that it consists of. Owners come before what they own, so one pass finds everything. */
function membersByOwner(state: RunState, owners: readonly string[]): ReadonlyMap<string, TaskState[]> {
  const members = new Map<string, TaskState[]>(owners.map((address) => [address, []]));
  const ownerOf = new Map<string, string>();
  for (const task of state.tasks.values()) {
    const { address, item, scope } = task;
    const owner = members.has(address) ? address : ownerOf.get(item?.parent ?? scope);
    if (owner === undefined) continue;
    ownerOf.set(address, owner);
    members.get(owner)!.push(task);
  }
  return members;
}

function rerunOf(members: readonly TaskState[]): Rerun {
  const task = members[0]!;
  const tried = members.filter(({ attempts }) => attempts > 0);
  const below = members.length - 1;
  return {
    task: task.address,
    status: statusOfTask(task),
    hasSucceeded: members.some(({ life }) => life.status === 'succeeded'),
    hasRun: tried.length > 0,
    ...(below > 0 && { below }),
    ...(tried.some(({ spec }) => spec.onInterrupt === 'ask') && { isIrreversible: true }),
    ...(members.some(wasApproved) && { asksApproval: true }),
    ...(members.some(({ workspace }) => workspace?.integrated !== undefined) && { isMerged: true }),
  };
}

function wasApproved({ spec, approved }: TaskState): boolean {
  return spec.approval !== undefined && approved;
}
