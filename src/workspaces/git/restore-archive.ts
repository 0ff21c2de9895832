import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { effect, hasCode, PitonError } from '../../base/index.ts';
import {
  bundlesName,
  readManifest,
  type ArchivedTree,
  type ArchiveManifest,
  type NestedArchive,
} from './archive-manifest.ts';
import { checkOut } from './checkout.ts';
import type { Git } from './git.ts';
import type { MarkerOwner } from './marker.ts';
import { inRepository, inWorktree, type RepositoryPlace, type WorktreePlace } from './places.ts';
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
  await layOutArchive(git, added, { archive, manifest });
  await effect('git.restored', () => writeFile(join(added.gitDir, restoredName), manifest.files));
  return added;
}

/** Puts the archived files, index and nested repositories into a worktree that nobody works in. */
export async function layOutArchive(
  git: Git,
  place: WorktreePlace,
  { archive, manifest }: { readonly archive: string; readonly manifest: ArchiveManifest },
): Promise<void> {
  await restoreTree(git, place, manifest);
  if (manifest.nested.length === 0) return;
  await withBundles(git, { archive, place }, async (folder) => {
    for (const nested of manifest.nested) await restoreNested(git, { nested, folder, top: place });
  });
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

async function withBundles(
  git: Git,
  { archive, place }: { readonly archive: string; readonly place: WorktreePlace },
  use: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(place.gitDir, 'piton-restore-'));
  try {
    const { env } = inRepository(place);
    const options = {
      cwd: folder,
      env: { ...env, GIT_WORK_TREE: folder, GIT_INDEX_FILE: join(folder, 'index') },
    };
    await git.run(['read-tree', archive], options);
    await git.run(['-c', 'core.autocrlf=false', 'checkout-index', '--all'], options);
    await use(join(folder, bundlesName));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface NestedRestore {
  readonly nested: NestedArchive;
  readonly folder: string;
  readonly top: WorktreePlace;
}

async function restoreNested(git: Git, { nested, folder, top }: NestedRestore): Promise<void> {
  const path = join(top.path, nested.path);
  await mkdir(path, { recursive: true });
  const place =
    nested.bundle === null
      ? await restoreSibling(git, top, { path, nested })
      : await restoreRepository(git, { path, nested, file: join(folder, nested.bundle) });
  await restoreTree(git, place, nested);
}

async function restoreRepository(
  git: Git,
  { path, nested, file }: { path: string; nested: NestedArchive; file: string },
): Promise<WorktreePlace> {
  const gitDir = join(path, '.git');
  const place = { path, gitDir, commonDir: gitDir };
  await git.run(['init', '--quiet', '--template=', path], { cwd: path, effect: 'nested-made' });
  if (nested.shallow.length > 0) await writeFile(join(gitDir, 'shallow'), `${nested.shallow.join('\n')}\n`);
  const args = ['fetch', '--quiet', '--update-head-ok', '--no-write-fetch-head', file, '+refs/*:refs/*'];
  await git.run(args, { ...inRepository(place), effect: 'nested-fetched' });
  await setHead(git, place, nested);
  return place;
}

/** It was another worktree of the same repository, so it becomes one again. */
async function restoreSibling(
  git: Git,
  top: WorktreePlace,
  { path, nested }: { path: string; nested: NestedArchive },
): Promise<WorktreePlace> {
  const start = nested.head ?? nested.files;
  const args = ['add', '--quiet', '--force', '--no-checkout', '--detach', path, start];
  await runOnRecords(git, top, { args, effect: 'nested-made' });
  const question = ['rev-parse', '--absolute-git-dir'];
  const { stdout } = await git.run(question, { cwd: path });
  return { path, gitDir: stdout.trim(), commonDir: top.commonDir };
}

async function setHead(git: Git, place: WorktreePlace, { head, branch }: ArchivedTree): Promise<void> {
  const setting = inRepository(place);
  if (branch !== null) await git.run(['symbolic-ref', 'HEAD', branch], setting);
  else await git.run(['update-ref', '--no-deref', 'HEAD', head!], setting);
}
