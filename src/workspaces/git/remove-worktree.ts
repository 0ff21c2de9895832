import { rename } from 'node:fs/promises';
import { deleteTree, effect, hasCode } from '../../base/index.ts';

import type { Git } from './git.ts';
import { isSameOwner, tidyRecord, type MarkerOwner } from './marker.ts';
import { ownPlace, type RepositoryPlace } from './places.ts';
import { findRecord, readLink, type WorktreeFolder } from './worktree-list.ts';
import { removeRecord } from './worktrees.ts';

export interface WorktreeRemoval extends MarkerOwner {
  readonly repository: RepositoryPlace;
  readonly path: string;
  /** As the marker must still name it. Absent: nobody else could want it. */
  readonly leaving?: string;
}

export type RemovalResult =
  | { readonly type: 'removed' }
  | { readonly type: 'already' }
  | { readonly type: 'refused'; readonly why: string };

/**
 * Removes the folder and the record of the worktree at exactly this path, if it bears exactly this mark; anything else is
 * refused. Its branch stays. Whether all of it is kept elsewhere must have been proven before (`proveKept`).
 */
export async function removeWorktree(git: Git, removal: WorktreeRemoval): Promise<RemovalResult> {
  const path = await ownPlace(removal.path);
  const aside = asideOf(path, removal.token);
  const entry = await findRecord(removal.repository, path);
  if (entry === undefined) return removeRest(path, aside);
  const why = await whyNot(removal, { path, entry });
  if (why !== undefined) return { type: 'refused', why };
  // Set aside in one step: a half-deleted folder at its old place would look like work that somebody has destroyed.
  await moveAside(path, aside);
  if (!(await isStillLeaving(removal, entry))) {
    await rename(aside, path);
    return { type: 'refused', why: wantedAgain(path) };
  }
  await removeRecord(git, removal.repository, path);
  await removeFolder(aside);
  return { type: 'removed' };
}

function asideOf(path: string, token: string): string {
  return `${path}.removed-${token}`;
}

/** Whether a removal has begun and was cut off: by then, all that was there has been kept. */
export async function isBeingRemoved({
  path,
  token,
}: Pick<WorktreeRemoval, 'path' | 'token'>): Promise<boolean> {
  return isThere(asideOf(await ownPlace(path), token));
}

async function removeRest(path: string, aside: string): Promise<RemovalResult> {
  await removeFolder(aside);
  const link = await readLink(path);
  if (link.type === 'absent') return { type: 'already' };
  return { type: 'refused', why: `${path} is not a worktree of the repository` };
}

async function whyNot(
  removal: WorktreeRemoval,
  { path, entry }: { path: string; entry: WorktreeFolder },
): Promise<string | undefined> {
  const marker = await tidyRecord(entry.gitDir);
  if (marker === undefined) return `${path} does not bear the mark of Piton`;
  if (!(await isStillLeaving(removal, entry))) return wantedAgain(path);
  if (!isSameOwner(marker, removal)) return `${path} belongs to ${marker.task} of run ${marker.run}`;
  if (entry.locked !== undefined) return `${path} is locked (${entry.locked || 'no reason given'})`;
  const link = await readLink(path);
  if (link.type === 'absent' || (link.type === 'linked' && link.gitDir === entry.gitDir)) return undefined;
  return `${path} holds something else than the worktree that is on record`;
}

async function isStillLeaving({ leaving }: WorktreeRemoval, { gitDir }: WorktreeFolder): Promise<boolean> {
  return leaving === undefined || (await tidyRecord(gitDir))?.leaving === leaving;
}

function wantedAgain(path: string): string {
  return `${path} is wanted again`;
}

async function moveAside(path: string, aside: string): Promise<void> {
  await effect('git.worktree-set-aside', async () => {
    // What lies there was set aside by an earlier removal of the same worktree, which did not come to its end.
    if (await isThere(path)) await deleteTree(aside);
    try {
      await rename(path, aside);
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
  });
}

async function isThere(path: string): Promise<boolean> {
  return (await readLink(path)).type !== 'absent';
}

async function removeFolder(folder: string): Promise<void> {
  await effect('git.folder-removed', () => deleteTree(folder));
}
