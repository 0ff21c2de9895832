import { PitonError } from '../../base/index.ts';
import { readCommit, readHead, type Trailers } from './commits.ts';
import { writeCommit } from './write-commit.ts';
import type { LeftOut } from './changed-paths.ts';
import type { Git } from './git.ts';
import type { WorktreePlace } from './places.ts';
import { moveRef, readRef } from './refs.ts';
import { usualFiles, writeTree } from './trees.ts';

export interface SnapshotOrder {
  readonly worktree: WorktreePlace;
  /** What is to keep it. Without one it can be lost by the next garbage collection. */
  readonly ref?: string;
  readonly message: string;
  readonly trailers: Trailers;
  readonly at: number;
  /** The snapshot before: taken again, if nothing has changed since. */
  readonly previous?: string;
  readonly includeIgnored?: boolean;
  readonly caches?: readonly string[];
  readonly maxFileBytes?: number;
  /** Whether a file that git does not have is passed over. */
  isElsewhere?(path: string): Promise<boolean>;
}

export interface Snapshot {
  readonly commit: string;
  readonly tree: string;
  readonly head: string | undefined;
  /** false: nothing has changed since the previous one, or since HEAD. */
  readonly isNew: boolean;
  readonly leftOut: readonly LeftOut[];
}

/** A commit of all files as they are now, beside HEAD: neither HEAD nor the index changes. */
export async function snapshotTree(git: Git, order: SnapshotOrder): Promise<Snapshot> {
  const { worktree } = order;
  const head = await readHead(git, worktree);
  const { tree, leftOut } = await writeTree(git, worktree, {
    includeIgnored: order.includeIgnored ?? usualFiles.includeIgnored,
    caches: order.caches ?? usualFiles.caches,
    maxFileBytes: order.maxFileBytes ?? usualFiles.maxFileBytes,
    isLookedAtAgain: true,
    ...(order.isElsewhere !== undefined && { isElsewhere: order.isElsewhere }),
  });
  const known = await findSame(git, order, { head, tree });
  const parents = head === undefined ? [] : [head];
  const commit = known ?? (await writeCommit(git, worktree, { ...order, tree, parents }));
  if (order.ref !== undefined) await setRef(git, worktree, { ref: order.ref, commit });
  return Object.freeze({ commit, tree, head, isNew: known === undefined, leftOut });
}

async function findSame(
  git: Git,
  { worktree, previous }: SnapshotOrder,
  { head, tree }: { head: string | undefined; tree: string },
): Promise<string | undefined> {
  if (head !== undefined && (await readCommit(git, worktree, head)).tree === tree) return head;
  if (previous === undefined) return undefined;
  const before = await readCommit(git, worktree, previous);
  return before.tree === tree && before.parents[0] === head ? previous : undefined;
}

/** A snapshot's ref has one writer, so what it held before is an earlier try at the same snapshot. */
async function setRef(
  git: Git,
  worktree: WorktreePlace,
  { ref, commit }: { ref: string; commit: string },
): Promise<void> {
  const from = await readRef(git, worktree, ref);
  const result = await moveRef(git, worktree, { ref, to: commit, from });
  if (result.type !== 'conflict') return;
  throw new PitonError('SNAPSHOT_REFUSED', `${ref} was moved by somebody else.`, {
    ref,
    actual: result.actual,
    remedy: 'End what moves it, then try again.',
  });
}
