import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { effect } from '../../base/index.ts';
import {
  freshMarker,
  readHead,
  writeMarker,
  type FolderLink,
  type Git,
  type WorktreePlace,
} from '../git/index.ts';
import type { Sight } from './sight.ts';
import { isOurs, slotOf } from './standing.ts';

/** A person takes what is there for the place of the task. Where it cannot be, it is refused as ever. */
export async function adoptPlace(git: Git, sight: Sight): Promise<void> {
  const { request, place, standing } = sight;
  const worktree = standing.worktree ?? (await linkAgain(sight));
  if (worktree === undefined || (await readHead(git, worktree)) === undefined) return;
  if (standing.worktree !== undefined && isOurs(request, place.token, standing.marker)) return;
  await markAsOurs(git, sight, worktree);
}

/** Whosever it was: from now on it bears our mark. */
export async function markAsOurs(git: Git, sight: Sight, worktree: WorktreePlace): Promise<void> {
  const { run, task, repository } = sight.request;
  const slot = slotOf(sight.request);
  const notes = slot === undefined ? {} : { slot };
  const order = { ...sight.place, run, task, repository, refs: sight.refs, notes };
  const marker = await freshMarker(git, order);
  await writeMarker(git, worktree.gitDir, { ...marker, isReady: true });
}

/** Through a symbolic link, the folder behind it would be made a worktree. */
export function canBeLinked(link: FolderLink): boolean {
  return link.type === 'unlinked' && link.isFolder && !link.isEmpty;
}

/** Only the link to the repository was deleted: the files are those of the worktree that is on record. */
async function linkAgain({ request, place, standing }: Sight): Promise<WorktreePlace | undefined> {
  const { link, entry, marker, path } = standing;
  if (!canBeLinked(link) || entry?.gitDir === undefined) return undefined;
  if (!isOurs(request, place.token, marker)) return undefined;
  await effect('workspace.linked', () => writeFile(join(path, '.git'), `gitdir: ${entry.gitDir}\n`));
  return { path, gitDir: entry.gitDir, commonDir: request.repository.commonDir };
}
