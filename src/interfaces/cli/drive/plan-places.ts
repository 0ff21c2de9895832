import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { placementIn, type Placement, type Standing } from '../../../engine/index.ts';
import type { Workflow } from '../../../model/index.ts';

/** Where a task will work, by the names of the tasks that lead to it: `build/test`. */
export interface PlannedPlace {
  readonly task: string;
  readonly place: Placement;
  /** It would work in a worktree, if there were a git repository. */
  readonly lacksRepository: boolean;
}

/** Functions work in the process that drives the run, and are not among them. */
export function placesIn(workflow: Workflow, folder: string): PlannedPlace[] {
  const hasRepository = isInRepository(folder);
  return standingsIn(workflow, { outer: [], path: '' }).map(({ task, standing }) => {
    const place = placementIn(standing);
    if (hasRepository) return { task, place, lacksRepository: false };
    return { task, place: { mode: 'shared' }, lacksRepository: place.mode === 'worktree' };
  });
}

interface Inside {
  readonly outer: readonly Standing[];
  readonly path: string;
}

interface Named {
  readonly task: string;
  readonly standing: readonly Standing[];
}

function standingsIn(workflow: Workflow, { outer, path }: Inside): Named[] {
  return workflow.tasks.flatMap((spec) => {
    const standing = [{ spec, workflow }, ...outer];
    const task = path + spec.name;
    if (spec.work.type === 'workflow')
      return standingsIn(spec.work.workflow, { outer: standing, path: `${task}/` });
    return spec.work.type === 'function' ? [] : [{ task, standing }];
  });
}

/** A look, not a question to git: nothing is run for a plan. */
function isInRepository(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return true;
  const around = dirname(folder);
  return around !== folder && isInRepository(around);
}

const inFolder = 'the folder of the run';
const withoutGit = `${inFolder}, as there is no git repository around it`;

export function placeText({ place, lacksRepository }: Omit<PlannedPlace, 'task'>): string {
  if (place.mode === 'shared') return lacksRepository ? withoutGit : inFolder;
  const then = place.integrates ? 'its work is brought to the branch of the run' : 'only to look';
  return `a git worktree of its own; ${then}`;
}

/** Where all of them work, in as few lines as that takes. */
export function placeLines(places: readonly PlannedPlace[]): string[] {
  const groups = Map.groupBy(places, ({ place, lacksRepository }) =>
    place.mode === 'worktree' ? 'git worktrees of their own' : lacksRepository ? withoutGit : inFolder,
  );
  return [...groups].map(([where, tasks]) => `in ${where}: ${tasks.map(({ task }) => task).join(', ')}`);
}
