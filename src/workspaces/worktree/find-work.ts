import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PitonError } from '../../base/index.ts';
import type { PlaceRequest, Prepared } from '../contract.ts';
import {
  keepPlain,
  keepPlainObjects,
  leadsTo,
  readGitDirs,
  readLink,
  tidyRecord,
  ownPlace,
  realPlace,
  type Marker,
  type WorktreePlace,
} from '../git/index.ts';
import { canBeLinked } from './adopt.ts';
import type { Work } from './integrate-work.ts';

export interface FoundWork {
  readonly worktree: WorktreePlace;
  readonly marker: Marker;
}

type Prepare = (request: PlaceRequest) => Promise<Prepared>;

/**
 * The worktree whose work is to be brought in. Nobody of ours removes it before that, so if it is gone, it is made again as it
 * was saved last. Throws WORKSPACE_GONE if it was not saved, WORKTREE_REFUSED if something else is in its place, unless a person has
 * adopted what is there.
 */
export async function findWork(prepare: Prepare, work: Work): Promise<FoundWork> {
  const found = await lookForWork(work).catch((error: unknown) => {
    if (!work.isAdopted) throw error;
  });
  if (found !== undefined) return found;
  await assertNotMoved(work);
  if (work.snapshot === undefined && !work.isAdopted)
    throw gone(work, 'is gone, and with it what was not committed');
  await prepare(work);
  const again = await lookForWork(work);
  if (again === undefined) throw gone(work, 'is gone, and could not be made again');
  return again;
}

/** Undefined: there is nothing at its path, or nothing yet. */
export async function lookForWork(work: Work): Promise<FoundWork | undefined> {
  const { repository, known } = work;
  const path = await ownPlace(known.path);
  const commonDir = await realPlace(repository.commonDir);
  const link = await readLink(path);
  if (link.type === 'absent') return undefined;
  if (link.type !== 'linked' || !(await leadsTo(repository, link.gitDir, path)))
    throw (canBeLinked(link) ? replaced : gone)(work, 'is not the worktree any more in which it worked');
  const marker = await tidyRecord(link.gitDir);
  // Whoever made it again was killed: what is there is not what the task has left.
  if (marker === undefined ? link.isBare : !marker.isReady && marker.token === known.token) return undefined;
  if (marker?.token !== known.token) throw replaced(work, 'bears the mark of another');
  await keepPlain(dirname(join(commonDir, known.branch)));
  await keepPlainObjects({ commonDir });
  return { worktree: { path, gitDir: link.gitDir, commonDir }, marker };
}

/** Git has its branch there, and lets nobody else have it. */
async function assertNotMoved({ repository, known, task }: Work): Promise<void> {
  const { token } = known;
  const path = await ownPlace(known.path);
  for (const [elsewhere, gitDir] of await readGitDirs(repository)) {
    if (elsewhere === path || !existsSync(elsewhere) || (await tidyRecord(gitDir))?.token !== token) continue;
    throw new PitonError('WORKSPACE_DRIFTED', `The place of ${task} was moved to ${elsewhere}.`, {
      path: elsewhere,
      remedy: `Move it back with \`git worktree move\` to ${path}, and \`piton retry\`.`,
    });
  }
}

/** There is nothing that could be adopted. */
function gone(work: Work, why: string): PitonError {
  return lost(work, { code: 'WORKSPACE_GONE', why });
}

function replaced(work: Work, why: string): PitonError {
  return lost(work, { code: 'WORKTREE_REFUSED', why });
}

function lost(
  { known: { path, branch }, task, snapshot }: Work,
  { code, why }: { readonly code: string; readonly why: string },
): PitonError {
  const again = snapshot === undefined ? 'recreate' : 'restore';
  return new PitonError(code, `The place of ${task} ${why}: ${path}.`, {
    path,
    branch,
    remedy: `Have it made again with \`piton workspace ${again}\`, or put it back and \`piton retry\`.`,
  });
}
