import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { placementIn, type Placement, type Standing } from '../../library/index.ts';
import type { Config } from '../../config/index.ts';
import { isProgram, type Workflow } from '../../model/index.ts';

/** Where a task will work, by the names of the tasks that lead to it: `build/test`. */
export interface PlannedPlace {
  readonly task: string;
  /** `mode` is `shared` (the folder of the run), `worktree`, `directory`, `copy` or `remote`, with what the workflow says of it. */
  readonly place: Placement;
  /** It would work in a worktree, if there were a git repository. */
  readonly lacksRepository: boolean;
  /** So many places for all items of its for-each. */
  readonly pool?: number;
}

/** Functions work in the process that drives the run, and are not among them; neither is what delivers. */
export function placesIn(
  workflow: Workflow,
  { root, workspaces }: Pick<Config, 'root' | 'workspaces'>,
): PlannedPlace[] {
  const { mode } = workspaces;
  const hasRepository = isInRepository(root);
  return standingsIn(workflow, { outer: [], path: '' }).map(({ task, standing }) => {
    const place = placementIn(standing, mode && { mode });
    if (place.mode !== 'shared' && (hasRepository || place.mode === 'directory')) {
      const { pool } = standing[0]!.spec;
      return { task, place, lacksRepository: false, ...(pool !== undefined && { pool }) };
    }
    return { task, place: { mode: 'shared' }, lacksRepository: place.mode !== 'shared' };
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
    return isProgram(spec.work) ? [{ task, standing }] : [];
  });
}

/** A look, not a question to git: nothing is run for a plan. */
export function isInRepository(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return true;
  const around = dirname(folder);
  return around !== folder && isInRepository(around);
}
