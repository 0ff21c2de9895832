import { join } from 'node:path';
import { PitonError } from '../../base/index.ts';
import { isAncestor, readCommit, writeCommit, type Trailers } from './commits.ts';
import type { LeftOut } from './changed-paths.ts';
import type { Git } from './git.ts';
import { withoutStaleLocks } from './lock-files.ts';
import { findUnfinished, type UnfinishedOperation } from './operations.ts';
import { inWorktree, type WorktreePlace } from './places.ts';
import { keepCommit } from './reflogs.ts';
import { moveRef, readRef } from './refs.ts';
import { readHead } from './snapshots.ts';
import { writeTree } from './trees.ts';

export interface ResultOrder {
  readonly worktree: WorktreePlace;
  readonly base: string;
  /** The task's branch. */
  readonly ref: string;
  readonly message: string;
  readonly trailers: Trailers;
  readonly at: number;
}

export type TaskResult =
  /** Neither HEAD nor any file differs from the base. */
  | { readonly type: 'unchanged'; readonly commit: string; readonly leftOut: readonly LeftOut[] }
  | CommittedResult
  /** A merge, rebase… is under way. Its state is left as it is, and its files are kept in a commit, but this is no result. */
  | {
      readonly type: 'unfinished';
      readonly operation: UnfinishedOperation;
      readonly unmerged: readonly string[];
      readonly kept: string;
      readonly leftOut: readonly LeftOut[];
    };

export interface CommittedResult {
  readonly type: 'committed';
  readonly commit: string;
  readonly tree: string;
  /** false: the agent has gone back behind the base, or begun a history of its own. */
  readonly isDescended: boolean;
  /** Commits of the task's branch that the result does not contain; each has got a ref that keeps it. */
  readonly leftBehind: readonly string[];
  readonly leftOut: readonly LeftOut[];
}

/** Makes a commit of what the agent has left, wherever it has moved HEAD, and points the task's branch to it. */
export async function commitResult(git: Git, order: ResultOrder): Promise<TaskResult> {
  const head = await readHead(git, order.worktree);
  const everything = { includeIgnored: false, caches: [], maxFileBytes: Number.POSITIVE_INFINITY };
  const { tree, leftOut } = await writeTree(git, order.worktree, everything);
  const unfinished = await findUnfinished(git, order.worktree);
  if (unfinished !== undefined) {
    const kept = await keepUnfinished(git, order, { head, tree });
    return Object.freeze({ type: 'unfinished', ...unfinished, kept, leftOut });
  }
  const found = {
    head,
    tree,
    facts: head === undefined ? undefined : await readCommit(git, order.worktree, head),
  };
  if (head === order.base && found.facts?.tree === tree)
    return { type: 'unchanged', commit: order.base, leftOut };
  const commit = await resultCommit(git, order, found);
  const leftBehind = await pointBranch(git, order, commit);
  await settleIndex(git, order, commit);
  const isDescended = await isAncestor(git, order.worktree, { ancestor: order.base, of: commit });
  return Object.freeze({ type: 'committed', commit, tree, isDescended, leftBehind, leftOut });
}

interface Found {
  readonly head: string | undefined;
  readonly tree: string;
  readonly facts: Awaited<ReturnType<typeof readCommit>> | undefined;
}

/** A HEAD that is our own commit of this attempt with this tree was made by an earlier try at the same. */
async function resultCommit(git: Git, order: ResultOrder, { head, tree, facts }: Found): Promise<string> {
  const { attempt, seq } = order.trailers;
  const isDone = facts?.attempt === attempt && facts.seq === seq && facts.tree === tree;
  if (isDone) return head!;
  const parents = head === undefined ? [order.base] : [head];
  return writeCommit(git, order.worktree, { ...order, tree, parents });
}

async function keepUnfinished(
  git: Git,
  order: ResultOrder,
  { head, tree }: { head: string | undefined; tree: string },
): Promise<string> {
  const parents = head === undefined ? [order.base] : [head];
  const commit = await writeCommit(git, order.worktree, { ...order, tree, parents });
  await keepCommit(git, order.worktree, { ...order.trailers, commit });
  return commit;
}

const tries = 5;

/** What the branch was at and the result does not contain is kept first: the branch may have been its only ref. */
async function pointBranch(git: Git, order: ResultOrder, commit: string): Promise<readonly string[]> {
  const leftBehind = new Set<string>();
  for (let attempt = 1; attempt <= tries; attempt++) {
    const from = await readRef(git, order.worktree, order.ref);
    if (from !== undefined && !(await isAncestor(git, order.worktree, { ancestor: from, of: commit }))) {
      await keepCommit(git, order.worktree, { ...order.trailers, commit: from });
      leftBehind.add(from);
    }
    const result = await moveRef(git, order.worktree, { ref: order.ref, to: commit, from });
    if (result.type !== 'conflict') return [...leftBehind];
  }
  throw new PitonError('RESULT_REFUSED', `${order.ref} is being moved by somebody else.`, {
    ref: order.ref,
    remedy: 'End what is still at work in the worktree, then try again.',
  });
}

/** As a commit by hand would leave it: the index holds what was committed. Only where HEAD has moved along with the branch. */
async function settleIndex(git: Git, { worktree, ref }: ResultOrder, commit: string): Promise<void> {
  const branch = await git.ask(['symbolic-ref', '--quiet', 'HEAD'], inWorktree(worktree));
  if (branch !== ref) return;
  const own = {
    folders: [worktree.path, worktree.gitDir],
    isOwn: (file: string) => file === join(worktree.gitDir, 'index.lock'),
  };
  const options = { ...inWorktree(worktree), effect: 'index-settled' };
  await withoutStaleLocks(git, own, () => git.run(['read-tree', '--reset', commit], options));
}
