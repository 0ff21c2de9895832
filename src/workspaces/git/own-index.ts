/**
 * What Piton itself has put into the index of a worktree. As long as nobody has written that file since, git need not be asked
 * whether it has conflicts, or files whose changes are not to be seen, or how it differs from a commit: it does not.
 */
import { constants } from 'node:fs';
import { copyFile, open, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { effect } from '../../base/index.ts';
import { lookAtFile } from '../files.ts';
import type { Git } from './git.ts';
import type { WorktreePlace } from './places.ts';

interface OwnIndex {
  readonly tree: string;
  readonly seen: string;
}

const written = new WeakMap<Git, Map<string, OwnIndex>>();

/** To be called when it was written, by whoever has made it hold just that tree, where there was none before. */
export async function noteIndex(git: Git, place: WorktreePlace, tree: string): Promise<void> {
  const file = indexOf(place);
  const seen = await lookAtFile(file);
  if (seen === undefined || !(await isPlain(file)) || seen !== (await lookAtFile(file))) return;
  const known = written.get(git) ?? new Map<string, OwnIndex>();
  written.set(git, known.set(place.gitDir, { tree, seen }));
}

/** The tree that it holds; undefined: somebody has written it since, or it was not we who did. */
export async function ownIndexTree(git: Git, place: WorktreePlace): Promise<string | undefined> {
  const known = written.get(git)?.get(place.gitDir);
  if (known === undefined) return undefined;
  if (known.seen === (await lookAtFile(indexOf(place)))) return known.tree;
  written.get(git)!.delete(place.gitDir);
  return undefined;
}

/**
 * Makes another index the worktree's, as git would: by its lock, and in one step. It keeps its time, by which git sees which files
 * it has to look at again. False: it cannot be done so, mostly because somebody has the lock.
 */
export async function takeIndex(
  git: Git,
  place: WorktreePlace,
  { file, tree }: { readonly file: string; readonly tree: string },
): Promise<boolean> {
  const ino = await effect('git.index-settled', () => putInPlace(file, indexOf(place)));
  if (ino === undefined) return false;
  await rm(file, { force: true });
  // Somebody may have put another in its place by now.
  if ((await stat(indexOf(place))).ino === ino) await noteIndex(git, place, tree);
  return true;
}

/** Tells which file it was. */
async function putInPlace(file: string, index: string): Promise<number | undefined> {
  const lock = `${index}.lock`;
  try {
    await copyFile(file, lock, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  } catch {
    return undefined;
  }
  const { atime, mtime } = await stat(file);
  await utimes(lock, atime, mtime);
  const { ino } = await stat(lock);
  await rename(lock, index);
  return ino;
}

function indexOf({ gitDir }: WorktreePlace): string {
  return join(gitDir, 'index');
}

/** In later formats there can be files that are not to be there (a sparse checkout): if they are all the same, only git knows. */
export async function isPlain(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(8), 0, 8, 0);
    return buffer.toString('latin1', 0, 4) === 'DIRC' && buffer.readUInt32BE(4) === 2;
  } finally {
    await handle.close();
  }
}
