import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../base/index.ts';
import { checkOut } from './checkout.ts';
import { readCommit, writeCommit, type Trailers } from './commits.ts';
import { readConflictNote, writeConflictNote, type ConflictNote } from './conflict-note.ts';
import type { Git } from './git.ts';
import { releaseLock } from './lock-files.ts';
import {
  inRepository,
  inWorktree,
  splitAtZeros,
  type RepositoryPlace,
  type WorktreePlace,
} from './places.ts';
import { keepCommit } from './reflogs.ts';
import { moveRef } from './refs.ts';
import { readHead, snapshotTree } from './snapshots.ts';
import { writeTree } from './trees.ts';

export interface ConflictOrder {
  readonly worktree: WorktreePlace;
  readonly branch: string;
  /** What was made here, and what it does not fit to. */
  readonly result: string;
  readonly ours: string;
  /** Both, with marks where they differ. */
  readonly tree: string;
  readonly files: readonly string[];
  /** For whoever is to make them fit. */
  readonly report: string;
  readonly message: string;
  readonly trailers: Trailers;
  readonly at: number;
}

const named = 'Piton-Conflict: ';

/** Puts both sides into the worktree, for whoever works there to make them fit. What was there is in the result. */
export async function leaveConflict(git: Git, order: ConflictOrder): Promise<void> {
  const { worktree, branch, result, ours, files, report, trailers, at } = order;
  const list = files.map((file) => `${named}${JSON.stringify(file)}`).join('\n');
  const message = `${order.message}\n\n${list}`;
  const commit = await writeCommit(git, worktree, { ...order, message, parents: [result, ours] });
  const note = { commit, branch, result, files, report, trailers, at, isLeft: false };
  await writeConflictNote(git, worktree, note);
  await layOut(git, worktree, note);
}

/** Once the branch has moved, files that are not there yet would look as if they had been deleted here. */
async function layOut(git: Git, worktree: WorktreePlace, note: ConflictNote): Promise<void> {
  const { commit, branch, result } = note;
  const place = inWorktree(worktree);
  await keepWhatIsInTheWay(git, worktree, note);
  await moveRef(git, worktree, { ref: branch, to: commit, from: result });
  await git.run(['symbolic-ref', 'HEAD', branch], { ...place, effect: 'head-placed' });
  await releaseLock(git, join(worktree.gitDir, 'index.lock'), [worktree.path, worktree.gitDir]);
  await checkOut(git, worktree, { tree: commit, effect: 'conflict-left' });
  await writeConflictNote(git, worktree, { ...note, isLeft: true });
}

/** Files that git ignores are not in the result, but others may have made the same ones a part of theirs. */
async function keepWhatIsInTheWay(git: Git, worktree: WorktreePlace, note: ConflictNote): Promise<void> {
  const { commit, result, trailers, at } = note;
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--name-only', '--diff-filter=A', result, commit];
  const { bytes } = await git.run(args, inRepository(worktree));
  const added = splitAtZeros(bytes.toString('latin1'));
  const isInTheWay = await Promise.all(added.map((path) => isTaken(worktree, path)));
  if (!isInTheWay.includes(true)) return;
  const message = 'What was in the way of a conflict';
  const everything = { includeIgnored: true, maxFileBytes: Number.POSITIVE_INFINITY };
  const kept = await snapshotTree(git, { worktree, message, trailers, at, ...everything });
  await keepCommit(git, worktree, { ...trailers, commit: kept.commit });
}

async function isTaken({ path: root }: WorktreePlace, path: string): Promise<boolean> {
  const file = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
  return lstat(file).then(
    () => true,
    (error: unknown) => !hasCode(error, 'ENOENT'),
  );
}

export type LeftConflict = Pick<ConflictNote, 'files' | 'report'>;

/**
 * The conflict that was left for what this attempt has made, if nobody has done anything about it since. What a crash has
 * cut off is brought to its end first.
 */
export async function findLeftConflict(
  git: Git,
  worktree: WorktreePlace,
  attempt: string,
): Promise<LeftConflict | undefined> {
  const note = await readConflictNote(worktree);
  if (note?.trailers.attempt !== attempt) return undefined;
  if (!note.isLeft) await layOut(git, worktree, note);
  else if (!(await isUntouched(git, worktree, note.commit))) return undefined;
  return { files: note.files, report: note.report };
}

async function isUntouched(git: Git, worktree: WorktreePlace, commit: string): Promise<boolean> {
  if ((await readHead(git, worktree)) !== commit) return false;
  const everything = { includeIgnored: false, caches: [], maxFileBytes: Number.POSITIVE_INFINITY };
  const { tree } = await writeTree(git, worktree, everything);
  return tree === (await readCommit(git, worktree, commit)).tree;
}

/** The files in which marks of a conflict are still to be found, that was left between these two. */
export async function unsolvedFiles(
  git: Git,
  repository: RepositoryPlace,
  { ours, theirs }: { readonly ours: string; readonly theirs: string },
): Promise<readonly string[]> {
  const place = inRepository(repository);
  const search = ['log', '-1', '--format=%B', '--fixed-strings', `--grep=${named}`, theirs, `^${ours}`, '--'];
  const { stdout } = await git.run(search, place);
  const files = stdout
    .split('\n')
    .flatMap((line) => (line.startsWith(named) ? [JSON.parse(line.slice(named.length)) as string] : []));
  if (files.length === 0) return [];
  const marks = [
    'grep',
    '-lzE',
    '^(<<<<<<<|>>>>>>>) ',
    theirs,
    '--',
    ...files.map((file) => `:(literal)${file}`),
  ];
  const found = await git.run(marks, { ...place, okCodes: [0, 1] });
  return splitAtZeros(found.stdout).map((path) => path.slice(theirs.length + 1));
}
