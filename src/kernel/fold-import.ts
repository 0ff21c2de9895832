import type { EventOf } from '../model/index.ts';
import { inheritFiles } from './fold-fork.ts';
import { foldRepair, holdAll, isHoldable } from './fold-repair.ts';
import { isSettled } from './life.ts';
import { isStanding } from './places-to-clean.ts';
import type { RunState, TaskState } from './run-state.ts';

/**
 * Tasks of a run that is brought to another store, of which it cannot be seen there what became of them: those that are under way, have
 * begun to work in a place of their own, or have an attempt that only a spool remembers.
 */
export function tasksLeftBehind(state: RunState): string[] {
  return [...state.tasks.values()]
    .filter((task) => isHoldable(task.life) && isLeftBehind(state, task))
    .map(({ address }) => address);
}

function isLeftBehind({ spooled }: RunState, { address, life, workspace }: TaskState): boolean {
  return life.status === 'running' || workspace !== undefined || spooled?.[address] !== undefined;
}

/** Folds `run.imported`: places and spools stayed where they were, and their paths mean nothing here. */
function foldImport(state: RunState, { data }: EventOf<'run.imported'>): void {
  if (data.origin !== undefined) state.origin = data.origin;
  // Where it came from it may still go on: nobody drives it here before a person says so.
  if (state.phase.status === 'active' || state.phase.status === 'paused') {
    state.phase = { status: 'paused', reason: data.reason };
    holdAll(state, data);
  }
  delete state.spooled;
  for (const task of state.tasks.values())
    if (task.workspace !== undefined) leavePlace(state, task, data.reason);
}

/** What it has made, if it was brought in, is in git. What was not has to be made again, if a person wants that. */
function leavePlace(state: RunState, task: TaskState, reason: string): void {
  const { workspace } = task;
  if (isStanding(workspace)) state.counts.places--;
  if (isSettled(task.life)) task.workspace = { ...workspace!, cleaned: { how: 'removed', reason } };
  else {
    inheritFiles(task);
    delete task.workspace;
  }
}

/** What becomes of a run whose journal was lost in part, or came from elsewhere. */
export const uncertainFolders = { 'run.repaired': foldRepair, 'run.imported': foldImport } as const;
