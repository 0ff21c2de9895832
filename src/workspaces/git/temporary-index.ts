import { copyFile, readdir, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode, PitonError, randomId, systemClock } from '../../base/index.ts';
import type { Git } from './git.ts';
import { readHeadTree } from './commits.ts';
import { ownIndexTree } from './own-index.ts';
import { inWorktree, type RepositoryPlace, type WorktreePlace } from './places.ts';
import { assertPlainRecord } from './plain-record.ts';

const prefix = 'piton-index-';
const forgottenMs = 60 * 60_000;

/**
 * Lends an index of its own, seeded with HEAD, so that nothing of the worktree's index changes. An empty one would lose files
 * that are tracked and ignored at once. It starts as a copy of the real one, because that knows which files git has looked at
 * already: without it, every file would be read again for each snapshot.
 */
export async function withTemporaryIndex<T>(
  git: Git,
  place: WorktreePlace,
  use: (indexFile: string) => Promise<T>,
): Promise<T> {
  await assertPlainRecord(place.gitDir);
  const indexFile = temporaryIndex(git, place);
  await sweep(dirname(indexFile));
  try {
    await seed(git, place, indexFile);
    return await use(indexFile);
  } finally {
    await rm(indexFile, { force: true });
    await rm(`${indexFile}.lock`, { force: true });
  }
}

/**
 * Where it is swept when it was forgotten. Not in the folder of the worktree: who works there could put a link in its place while
 * git is being started, also from inside of a sandbox.
 */
export function temporaryIndex(git: Git, repository: RepositoryPlace): string {
  return join(git.ownFolder(repository), prefix + randomId());
}

async function seed(git: Git, place: WorktreePlace, indexFile: string): Promise<void> {
  if (await copyOwnIndex(git, place, indexFile)) return;
  const isCopied = await copyIndex(join(place.gitDir, 'index'), indexFile);
  if (!isCopied) await assertNotSparse(git, place);
  const read = (): Promise<unknown> =>
    git.run(['read-tree', '--reset', 'HEAD'], inWorktree(place, indexFile));
  try {
    await read();
  } catch (error) {
    if (!(await hasHead(git, place))) return startEmpty(git, place, indexFile);
    if (!isCopied) throw error;
    // An index that a killed git has left damaged cannot help; HEAD alone can.
    await assertNotSparse(git, place);
    await rm(indexFile, { force: true });
    await read();
  }
  if (isCopied) await unhide(git, place, indexFile);
}

/** Written by us, and by nobody since: it holds HEAD already, and hides nothing. */
async function copyOwnIndex(git: Git, place: WorktreePlace, indexFile: string): Promise<boolean> {
  const tree = await ownIndexTree(git, place);
  if (tree === undefined || tree !== (await readHeadTree(git, place))) return false;
  await copyIndex(join(place.gitDir, 'index'), indexFile);
  return tree === (await ownIndexTree(git, place));
}

async function hasHead(git: Git, place: WorktreePlace): Promise<boolean> {
  const args = ['rev-parse', '--quiet', '--verify', 'HEAD^{tree}'];
  return (await git.ask(args, inWorktree(place))) !== undefined;
}

async function startEmpty(git: Git, place: WorktreePlace, indexFile: string): Promise<void> {
  await git.run(['read-tree', '--empty'], inWorktree(place, indexFile));
}

/**
 * The copy is made older than the original: git looks again at every file changed since its index was written, and a copy
 * that seems younger would hide changes of the last moment.
 */
async function copyIndex(from: string, to: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(from);
    await copyFile(from, to);
    const before = Math.floor(mtimeMs / 1000) - 1;
    await utimes(to, before, before);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** Marks such as "assume unchanged" would keep changes of the agent out of sight, so they go, unless the file is not there. */
async function unhide(git: Git, place: WorktreePlace, indexFile: string): Promise<void> {
  const { bytes } = await git.run(['ls-files', '-v', '-z'], inWorktree(place, indexFile));
  const lines = bytes.toString('latin1').split('\0');
  const assumed = lines.filter((line) => /^[a-z] /.test(line)).map((line) => line.slice(2));
  const skipped = lines.filter((line) => /^[Ss] /.test(line)).map((line) => line.slice(2));
  const present: string[] = [];
  for (const path of skipped) if (await isPresent(place, path)) present.push(path);
  await unmark(git, { place, indexFile, flag: '--no-assume-unchanged', paths: assumed });
  await unmark(git, { place, indexFile, flag: '--no-skip-worktree', paths: present });
}

async function unmark(
  git: Git,
  order: { place: WorktreePlace; indexFile: string; flag: string; paths: readonly string[] },
): Promise<void> {
  if (order.paths.length === 0) return;
  const input = Buffer.from(order.paths.map((path) => `${path}\0`).join(''), 'latin1');
  const options = { ...inWorktree(order.place, order.indexFile), input };
  await git.run(['update-index', order.flag, '-z', '--stdin'], options);
}

export async function isPresent(place: WorktreePlace, path: string): Promise<boolean> {
  const file = Buffer.concat([Buffer.from(`${place.path}/`), Buffer.from(path, 'latin1')]);
  return stat(file).then(
    () => true,
    () => false,
  );
}

/** Which files are left out of a sparse checkout stands in the index: without it, they would all look deleted. */
async function assertNotSparse(git: Git, place: WorktreePlace): Promise<void> {
  const args = ['config', '--type=bool', '--get', 'core.sparseCheckout'];
  if ((await git.ask(args, inWorktree(place))) !== 'true') return;
  throw new PitonError('SNAPSHOT_REFUSED', `${place.path} is a sparse checkout, and its index is gone.`, {
    path: place.path,
    remedy: 'Run `git sparse-checkout reapply` in it, then try again.',
  });
}

/** What a killed snapshot has left. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix)) continue;
    const file = join(folder, name);
    const found = await stat(file).catch(() => undefined);
    if (
      found !== undefined &&
      systemClock.now() - found.mtimeMs > forgottenMs &&
      systemClock.now() - found.ctimeMs > forgottenMs
    )
      await rm(file, { force: true });
  }
}
