import type { CleanupPolicy } from '../model/index.ts';
import { type RunState, type TaskState, type WorkspaceState } from './run-state.ts';
import { isSettled } from './life.ts';

/** Tasks that have come to their end, and whose place is still to be cleaned up, as far as that is to be done now. */
export function placesToClean(state: RunState, policy: CleanupPolicy): TaskState[] {
  return [...state.tasks.values()].filter((task) => isToBeCleaned(state, task, policy));
}

export function isToBeCleaned(state: RunState, task: TaskState, policy: CleanupPolicy): boolean {
  const { life, workspace } = task;
  if (workspace === undefined || workspace.cleaned !== undefined || !isSettled(life)) return false;
  return life.status === 'succeeded' ? isFree(state, task) : isGivenUp(state, policy);
}

/** A place of a pool is for the next item. */
function isFree(state: RunState, { spec, item }: TaskState): boolean {
  if (spec.pool === undefined || item === undefined || hasEnded(state)) return true;
  return isSettled(state.tasks.get(item.parent)!.life);
}

/** What has not succeeded may be tried again, and goes on where it was: until the run has come to an end that is meant to last. */
function isGivenUp(state: RunState, policy: CleanupPolicy): boolean {
  if (!hasEnded(state)) return false;
  return state.phase.status !== 'failed' || policy === 'archive' || policy === 'archive-on-failure';
}

function hasEnded({ phase }: RunState): boolean {
  return phase.status !== 'active' && phase.status !== 'paused';
}

/** As far as is known, it is there. */
export function isStanding(workspace: WorkspaceState | undefined): boolean {
  return workspace !== undefined && (workspace.cleaned === undefined || workspace.cleaned.how === 'kept');
}
