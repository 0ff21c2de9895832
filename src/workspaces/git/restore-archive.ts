import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { effect, hasCode, isInside, PitonError } from '../../base/index.ts';
import {
  readManifest,
  type ArchivedTree,
  type ArchiveManifest,
  type NestedArchive,
  type SiblingArchive,
} from './archive-manifest.ts';
import { checkOut } from './checkout.ts';
import type { Git } from './git.ts';
import type { MarkerOwner } from './marker.ts';
import { inWorktree, type RepositoryPlace, type WorktreePlace } from './places.ts';
import { restorePlainFolder } from './restore-folder.ts';
import { leadsTo, readLink } from './worktree-list.ts';
import { runOnRecords } from './worktree-records.ts';
import { addWorktree, type AddedWorktree } from './worktrees.ts';

export interface RestoreOrder extends MarkerOwner {
  readonly repository: RepositoryPlace;
  /** The ref or the commit of the archive. */
  readonly archive: string;
  readonly path: string;
  /** What it holds, if it does not say so itself. */
  readonly manifest?: ArchiveManifest;
  /** The branch that the worktree is to be on: new, or containing the archived HEAD. */
  readonly branch: string;
}

/** Says in the worktree's own folder that all of it is back, so that doing it again does not overwrite later work. */
const restoredName = 'piton-restored';

/** Makes a worktree as the archived one was: its files, ignored ones included, its index, and its nested repositories. */
export async function restoreArchive(git: Git, order: RestoreOrder): Promise<AddedWorktree> {
  const { repository, archive } = order;
  const manifest = order.manifest ?? (await readManifest(git, repository, archive));
  const base = manifest.head ?? manifest.files;
  const added = await addWorktree(git, { ...order, base });
  if ((await readRestored(added)) === manifest.files) return added;
  if (added.head !== base) throw refused(order, added.head);
  await layOutArchive(git, added, manifest);
  await effect('git.restored', () => writeFile(join(added.gitDir, restoredName), manifest.files));
  return added;
}

/** Puts the archived files, index and nested repositories into a worktree that nobody works in. */
export async function layOutArchive(
  git: Git,
  place: WorktreePlace,
  manifest: ArchiveManifest,
): Promise<void> {
  await restoreTree(git, place, manifest);
  for (const sibling of manifest.siblings) await restoreSibling(git, place, sibling);
  for (const nested of manifest.nested) await restoreNested(git, place, nested);
}

async function readRestored({ gitDir }: WorktreePlace): Promise<string | undefined> {
  try {
    return await readFile(join(gitDir, restoredName), 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function refused({ path, branch, archive }: RestoreOrder, head: string): PitonError {
  return new PitonError('WORKTREE_REFUSED', `${path} is at ${head}, which is not where ${archive} was.`, {
    path,
    branch,
    archive,
    remedy: 'Restore it on another branch.',
  });
}

async function restoreTree(git: Git, place: WorktreePlace, archived: ArchivedTree): Promise<void> {
  await checkOut(git, place, { tree: archived.files, effect: 'files-restored' });
  const index = archived.index ?? archived.head;
  const args = index === null ? ['read-tree', '--empty'] : ['read-tree', '--reset', index];
  await git.run(args, { ...inWorktree(place), effect: 'index-restored' });
}

async function restoreNested(git: Git, worktree: WorktreePlace, nested: NestedArchive): Promise<void> {
  const { path, files, module } = nested;
  await restorePlainFolder(git, { worktree, path, tree: files });
  if (module === null) return;
  // The repository of a submodule lay in a folder that is gone: it comes into the submodule's own.
  const gitDir = join(worktree.path, path, '.git');
  await rm(gitDir, { recursive: true, force: true });
  await restorePlainFolder(git, { worktree, path: join(path, '.git'), tree: module });
  const args = ['config', '--file', join(gitDir, 'config'), '--unset-all', 'core.worktree'];
  await git.run(args, { cwd: '/', okCodes: [0, 5], effect: 'module-placed' });
}

/** It was another worktree of the same repository, so it becomes one again. */
async function restoreSibling(
  git: Git,
  top: WorktreePlace,
  { path: way, ...sibling }: SiblingArchive,
): Promise<void> {
  if (!isInside(way)) throw unreadable(way);
  const path = join(top.path, way);
  const start = sibling.head ?? sibling.files;
  const args = ['add', '--quiet', '--force', '--no-checkout', '--detach', path, start];
  // An earlier try may have been killed after that.
  if ((await recordOf(top, path)) === undefined)
    await runOnRecords(git, top, { args, effect: 'nested-made' });
  const gitDir = await recordOf(top, path);
  if (gitDir === undefined) throw unreadable(way);
  await restoreTree(git, { path, gitDir, commonDir: top.commonDir }, sibling);
}

async function recordOf(top: WorktreePlace, path: string): Promise<string | undefined> {
  const link = await readLink(path);
  return link.type === 'linked' && (await leadsTo(top, link.gitDir, path)) ? link.gitDir : undefined;
}

function unreadable(path: string): PitonError {
  return new PitonError('ARCHIVE_UNREADABLE', `The worktree ${path} in the archive cannot be restored.`, {
    path,
    remedy: 'See whether something else is in its place.',
  });
}
