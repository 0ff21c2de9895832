import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, PitonError } from '../../base/index.ts';
import { asText } from './changed-paths.ts';
import { checkOut } from './checkout.ts';
import { readHead } from './commits.ts';
import { writeCommit } from './write-commit.ts';
import type { Git } from './git.ts';
import { readLayoutNote, writeLayoutNote, type LayoutNote } from './layout-note.ts';
import { releaseLock } from './lock-files.ts';
import { inRepository, inWorktree, splitAtZeros, type WorktreePlace } from './places.ts';
import { keepCommit } from './reflogs.ts';
import { pointBranch } from './results.ts';
import { snapshotTree } from './snapshots.ts';
import { usualFiles, writeTree } from './trees.ts';

export interface LayoutOrder extends Omit<LayoutNote, 'files' | 'isLeft'> {
  readonly worktree: WorktreePlace;
  /** The tree that the files are believed to be. */
  readonly expected: string;
  /** Otherwise they are somebody's work, and nothing is laid out over it; false: what a check has left, which is kept. */
  readonly isWork: boolean;
}

/**
 * Makes HEAD, index and files those of a commit. What git ignores stays as it is; what is in the way is kept by a ref first.
 * Throws RESULT_REFUSED if the files are not what they are believed to be.
 */
export async function layOut(git: Git, { worktree, expected, isWork, ...order }: LayoutOrder): Promise<void> {
  const head = await readHead(git, worktree);
  const files = await filesOf(git, worktree);
  if (files !== order.tree && files !== expected) {
    if (isWork) throw stillWritten(worktree);
    await keepFiles(git, worktree, { ...order, files, head });
  }
  const note = { ...order, files, isLeft: false };
  await keepWhatIsInTheWay(git, worktree, note);
  await writeLayoutNote(git, worktree, note);
  await carryOut(git, worktree, note);
}

/** What was laid out in this place last, if something was. What a crash has cut off is brought to its end first. */
export async function findLayout(
  git: Git,
  worktree: WorktreePlace,
  token: string,
): Promise<LayoutNote | undefined> {
  const note = await readLayoutNote(git, worktree);
  if (note?.token !== token) return undefined;
  if (!note.isLeft) await carryOut(git, worktree, note);
  return note;
}

/** Once HEAD has moved, files that are not there yet would look as if they had been deleted here: hence the note. */
async function carryOut(git: Git, worktree: WorktreePlace, note: LayoutNote): Promise<void> {
  const place = inWorktree(worktree);
  for (const lock of ['HEAD.lock', 'index.lock']) {
    await releaseLock(git, join(worktree.gitDir, lock), [worktree.path, worktree.gitDir]);
  }
  await placeHead(git, worktree, note);
  // All that is there is on record then, and what the commit does not have goes with the checkout.
  await git.run(['read-tree', '--reset', note.files], { ...place, effect: 'index-filled' });
  await checkOut(git, worktree, { tree: note.commit, effect: 'laid-out' });
  await writeLayoutNote(git, worktree, { ...note, isLeft: true });
}

async function placeHead(git: Git, worktree: WorktreePlace, note: LayoutNote): Promise<void> {
  const { commit, result, what } = note;
  const options = { ...inWorktree(worktree), effect: 'head-placed' };
  if (what.type === 'candidate')
    return void (await git.run(['update-ref', '--no-deref', 'HEAD', commit], options));
  const branch = { worktree, ref: what.branch, trailers: note.trailers };
  await pointBranch(git, branch, { commit, parents: [result], tip: result });
  await git.run(['symbolic-ref', 'HEAD', what.branch], options);
}

/** Whether nobody has done anything with it since. */
export async function isUntouched(git: Git, worktree: WorktreePlace, note: LayoutNote): Promise<boolean> {
  return (await filesOf(git, worktree)) === note.tree;
}

async function filesOf(git: Git, worktree: WorktreePlace): Promise<string> {
  const ofAnySize = { ...usualFiles, maxFileBytes: Number.POSITIVE_INFINITY, isLookedAtAgain: true };
  return (await writeTree(git, worktree, ofAnySize)).tree;
}

interface Left extends Pick<LayoutNote, 'files' | 'trailers' | 'at'> {
  readonly head: string | undefined;
}

async function keepFiles(git: Git, worktree: WorktreePlace, left: Left): Promise<void> {
  const { files: tree, head, trailers, at } = left;
  const parents = head === undefined ? [] : [head];
  const message = 'What was left beside a merge that was not taken';
  const commit = await writeCommit(git, worktree, { tree, parents, message, trailers, at });
  await keepCommit(git, worktree, { ...trailers, commit });
}

/** Files that git ignores are in no result, but others may have made the same ones a part of theirs. */
async function keepWhatIsInTheWay(git: Git, worktree: WorktreePlace, note: LayoutNote): Promise<void> {
  const { tree, files, trailers, at } = note;
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--name-only', '--diff-filter=A', files, tree];
  const { bytes } = await git.run(args, inRepository(worktree));
  const added = splitAtZeros(bytes.toString('latin1'));
  const isInTheWay = await Promise.all(added.map((path) => isTaken(worktree, path)));
  if (!isInTheWay.includes(true)) return;
  const message = 'What was in the way of a merge';
  // No more than that: among all that is ignored there may be passwords.
  const isMet = meetsOneOf(added.map(asText));
  const isElsewhere = async (path: string): Promise<boolean> => !isMet(path);
  const everything = { includeIgnored: true, maxFileBytes: Number.POSITIVE_INFINITY, isElsewhere };
  const kept = await snapshotTree(git, { worktree, message, trailers, at, ...everything });
  await keepCommit(git, worktree, { ...trailers, commit: kept.commit });
}

/** Whether a path is one of these, a folder on the way to one, or below one. */
function meetsOneOf(paths: readonly string[]): (path: string) => boolean {
  const named = new Set(paths);
  const passed = new Set(paths.flatMap(foldersOf));
  return (path) => named.has(path) || passed.has(path) || foldersOf(path).some((folder) => named.has(folder));
}

function foldersOf(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
}

async function isTaken({ path: root }: WorktreePlace, path: string): Promise<boolean> {
  const file = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
  return lstat(file).then(
    () => true,
    (error: unknown) => !hasCode(error, 'ENOENT'),
  );
}

function stillWritten({ path }: WorktreePlace): PitonError {
  return new PitonError('RESULT_REFUSED', `Files in ${path} have changed while they were taken.`, {
    path,
    remedy: 'End what is still at work in the worktree, then try again.',
  });
}
