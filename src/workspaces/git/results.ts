import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PitonError } from '../../base/index.ts';
import { isAncestor } from './ancestry.ts';
import { readTips, type Tip, type Trailers } from './commits.ts';
import { writeCommit } from './write-commit.ts';
import type { LeftOut } from './changed-paths.ts';
import type { Git } from './git.ts';
import { gitFailureReason } from './git-failures.ts';
import { withoutStaleLocks } from './lock-files.ts';
import { findUnfinished, type UnfinishedOperation } from './operations.ts';
import { inWorktree, type WorktreePlace } from './places.ts';
import { keepCommit } from './reflogs.ts';
import { moveRef } from './refs.ts';
import { ownIndexTree, takeIndex } from './own-index.ts';
import { findSecrets, type SecretFound } from './scan-secrets.ts';
import { keptIndexOf, usualFiles, writeTree, type WrittenTree } from './trees.ts';
import { filterFailed } from './unfiltered.ts';

export interface ResultOrder {
  readonly worktree: WorktreePlace;
  readonly base: string;
  /** The task's branch. */
  readonly ref: string;
  readonly message: string;
  readonly trailers: Trailers;
  readonly at: number;
  /** Files whose filter is missing are taken as they are. */
  readonly isUnfilteredTaken?: boolean;
  /** What must not come into git. `known`: what was looked through before. */
  readonly scan?: { readonly secrets: Readonly<Record<string, string>>; readonly known: readonly string[] };
}

export type TaskResult =
  /** Neither HEAD nor any file differs from the base. */
  | { readonly type: 'unchanged'; readonly commit: string; readonly leftOut: readonly LeftOut[] }
  | CommittedResult
  /** There are secrets in it. Nothing was committed. */
  | { readonly type: 'secrets'; readonly found: readonly SecretFound[] }
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
  readonly parents: readonly string[];
  /** false: the agent has gone back behind the base, or begun a history of its own. */
  readonly isDescended: boolean;
  /** Commits of the task's branch that the result does not contain; each has got a ref that keeps it. */
  readonly leftBehind: readonly string[];
  readonly leftOut: readonly LeftOut[];
}

/** Makes a commit of what the agent has left, wherever it has moved HEAD, and points the task's branch to it. */
export async function commitResult(git: Git, order: ResultOrder): Promise<TaskResult> {
  const { worktree, base } = order;
  const { head, tip } = await readTips(git, worktree, order.ref);
  const { tree, leftOut } = await writeAll(git, order);
  const unfinished = await findUnfinished(git, worktree);
  if (unfinished !== undefined) {
    const kept = await keepUnfinished(git, order, { head: head?.commit, tree });
    return Object.freeze({ type: 'unfinished', ...unfinished, kept, leftOut });
  }
  if (head?.commit === base && head.tree === tree) return { type: 'unchanged', commit: base, leftOut };
  const found = await secretsIn(git, order, { head: head?.commit, tree });
  if (found.length > 0) return { type: 'secrets', found };
  const { commit, parents } = await resultCommit(git, order, { head, tip, tree });
  const leftBehind = await pointBranch(git, order, { commit, parents, tip: tip?.commit });
  await settleIndex(git, order, { commit, tree });
  const isDescended =
    parents.includes(base) || (await isAncestor(git, worktree, { ancestor: base, of: commit }));
  return Object.freeze({ type: 'committed', commit, tree, parents, isDescended, leftBehind, leftOut });
}

async function writeAll(git: Git, { worktree, isUnfilteredTaken }: ResultOrder): Promise<WrittenTree> {
  const everything = { ...usualFiles, maxFileBytes: Number.POSITIVE_INFINITY, isLookedAtAgain: true };
  try {
    return await writeTree(git, worktree, { ...everything, needsFilters: isUnfilteredTaken !== true });
  } catch (error) {
    throw gitFailureReason(error) === 'filter' ? filterFailed(error as PitonError) : error;
  }
}

/** Before anything is committed: from a commit of ours it could not be taken out again by changing the file. */
async function secretsIn(
  git: Git,
  { worktree, base, scan }: ResultOrder,
  { head, tree }: { readonly head: string | undefined; readonly tree: string },
): Promise<readonly SecretFound[]> {
  if (scan === undefined) return [];
  const { secrets, known } = scan;
  return findSecrets(git, { repository: worktree, tree, head, known: [base, ...known], secrets });
}

interface Found {
  readonly head: Tip | undefined;
  readonly tip: Tip | undefined;
  readonly tree: string;
}

/** Our own commit of this attempt with this tree, at HEAD or on top of it, was made by an earlier try at the same. */
async function resultCommit(
  git: Git,
  order: ResultOrder,
  { head, tip, tree }: Found,
): Promise<Pick<Tip, 'commit' | 'parents'>> {
  const isDone = (one: Tip): boolean => one.attempt === order.trailers.attempt && one.tree === tree;
  if (head !== undefined && isDone(head)) return head;
  const parent = head?.commit ?? order.base;
  if (tip?.parents.length === 1 && tip.parents[0] === parent && isDone(tip)) return tip;
  const commit = await writeCommit(git, order.worktree, { ...order, tree, parents: [parent] });
  return { commit, parents: [parent] };
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

interface Pointing {
  readonly commit: string;
  readonly parents: readonly string[];
  /** Where the branch was seen last. */
  readonly tip: string | undefined;
}

/** What the branch was at and the result does not contain is kept first: the branch may have been its only ref. */
export async function pointBranch(
  git: Git,
  order: Pick<ResultOrder, 'worktree' | 'ref' | 'trailers'>,
  { commit, parents, tip }: Pointing,
): Promise<readonly string[]> {
  const { worktree, ref, trailers } = order;
  const leftBehind = new Set<string>();
  let from = tip;
  for (let attempt = 1; attempt <= tries && from !== commit; attempt++) {
    const isContained =
      from === undefined ||
      parents.includes(from) ||
      (await isAncestor(git, worktree, { ancestor: from, of: commit }));
    if (!isContained) {
      await keepCommit(git, worktree, { ...trailers, commit: from! });
      leftBehind.add(from!);
    }
    const moved = await moveRef(git, worktree, { ref, to: commit, from });
    from = moved.type === 'conflict' ? moved.actual : commit;
  }
  if (from === commit) return [...leftBehind];
  throw new PitonError('RESULT_REFUSED', `${order.ref} is being moved by somebody else.`, {
    ref: order.ref,
    remedy: 'End what is still at work in the worktree, then try again.',
  });
}

/** As a commit by hand would leave it: the index holds what was committed. Only where HEAD has moved along with the branch. */
async function settleIndex(
  git: Git,
  { worktree, ref }: ResultOrder,
  { commit, tree }: { readonly commit: string; readonly tree: string },
): Promise<void> {
  if ((await headBranch(git, worktree)) !== ref || (await ownIndexTree(git, worktree)) === tree) return;
  const kept = await keptIndexOf(git, worktree, tree);
  const isTaken = kept !== undefined && (await takeIndex(git, worktree, { file: kept, tree }));
  if (!isTaken) await resetIndex(git, worktree, commit);
}

async function resetIndex(git: Git, worktree: WorktreePlace, commit: string): Promise<void> {
  const own = {
    folders: [worktree.path, worktree.gitDir],
    isOwn: (file: string) => file === join(worktree.gitDir, 'index.lock'),
  };
  const options = { ...inWorktree(worktree), effect: 'index-settled' };
  await withoutStaleLocks(git, own, () => git.run(['read-tree', '--reset', commit], options));
}

/** Read from its file: git is asked only where refs are kept in another way. */
async function headBranch(git: Git, worktree: WorktreePlace): Promise<string | undefined> {
  const text = (await readFile(join(worktree.gitDir, 'HEAD'), 'utf8')).trimEnd();
  if (!text.startsWith('ref: ')) return undefined;
  if (text !== 'ref: refs/heads/.invalid') return text.slice('ref: '.length);
  return git.ask(['symbolic-ref', '--quiet', 'HEAD'], inWorktree(worktree));
}
