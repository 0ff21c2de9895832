import { dirname, join } from 'node:path';
import { PitonError } from '../../base/index.ts';
import type { PlaceRequest, Prepared } from '../contract.ts';
import {
  keepPlain,
  keepPlainObjects,
  leadsTo,
  readLink,
  readMarker,
  ownPlace,
  realPlace,
  type Marker,
  type WorktreePlace,
} from '../git/index.ts';
import type { Work } from './integrate-work.ts';

export interface FoundWork {
  readonly worktree: WorktreePlace;
  readonly marker: Marker;
}

type Prepare = (request: PlaceRequest) => Promise<Prepared>;

/**
 * The worktree whose work is to be brought in. Nobody of ours removes it before that, so if it is gone, it is made again as it
 * was saved last. Throws WORKSPACE_DRIFTED if it was not saved, or something else is in its place, unless a person has adopted
 * what is there.
 */
export async function findWork(prepare: Prepare, work: Work): Promise<FoundWork> {
  const found = await lookForWork(work).catch((error: unknown) => {
    if (!work.isAdopted) throw error;
  });
  if (found !== undefined) return found;
  if (work.snapshot === undefined && !work.isAdopted)
    throw drifted(work, 'is gone, and with it what was not committed');
  await prepare(work);
  const again = await lookForWork(work);
  if (again === undefined) throw drifted(work, 'is gone, and could not be made again');
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
    throw drifted(work, 'is not the worktree any more in which it worked');
  const marker = await readMarker(link.gitDir);
  // Whoever made it again was killed: what is there is not what the task has left.
  if (marker === undefined ? link.isBare : !marker.isReady && marker.token === known.token) return undefined;
  if (marker?.token !== known.token) throw drifted(work, 'bears the mark of another');
  await keepPlain(dirname(join(commonDir, known.branch)));
  await keepPlainObjects({ commonDir });
  return { worktree: { path, gitDir: link.gitDir, commonDir }, marker };
}

function drifted({ known: { path, branch }, task }: Work, why: string): PitonError {
  return new PitonError('WORKSPACE_DRIFTED', `The place of ${task} ${why}: ${path}.`, {
    path,
    branch,
    remedy: 'Put it back and `piton retry`, or let the task begin again with `piton retry --fresh`.',
  });
}
