import { readCommit, readTips, type CommitFacts, type Tip, type Trailers } from './commits.ts';
import { writeCommit } from './write-commit.ts';
import type { LeftOut } from './changed-paths.ts';
import type { Git } from './git.ts';
import { gitFailureReason } from './git-failures.ts';
import type { RepositoryPlace, WorktreePlace } from './places.ts';
import { moveRef } from './refs.ts';
import { usualFiles, writeTree } from './trees.ts';

export interface SavingOrder {
  readonly worktree: WorktreePlace;
  /** Holds the last one; each leads to the one before as its second parent. */
  readonly ref: string;
  /** For people. */
  readonly label: string;
  readonly trailers: Trailers;
  readonly at: number;
}

export interface Saved {
  readonly commit: string;
  /** false: nothing has changed since the one before. */
  readonly isNew: boolean;
  readonly leftOut: readonly LeftOut[];
}

const lead = 'Snapshot: ';

/**
 * Keeps the files as they are now, beside HEAD. What was kept before stays within reach, also where the agent has thrown it
 * away since. Files that nobody would want in a repository by the way are left out: they never keep the others from being kept.
 */
export async function saveTree(git: Git, order: SavingOrder): Promise<Saved> {
  const { worktree, ref } = order;
  const { head, tip } = await readTips(git, worktree, ref);
  const { tree, leftOut } = await writeTree(git, worktree, { ...usualFiles, isLookedAtAgain: true });
  const before = tip === undefined ? undefined : savedIn(tip);
  if (before !== undefined && before.tree === tree && before.head === head?.commit)
    return { commit: before.commit, isNew: false, leftOut };
  const commit = await commitFor(git, order, { head, tree, previous: tip?.commit });
  await moveRef(git, worktree, { ref, to: commit, from: tip?.commit });
  return { commit, isNew: true, leftOut };
}

interface Found {
  readonly head: Tip | undefined;
  readonly tree: string;
  readonly previous: string | undefined;
}

/** As long as nothing has been changed, HEAD itself says it all. */
async function commitFor(git: Git, order: SavingOrder, { head, tree, previous }: Found): Promise<string> {
  if (previous === undefined && head?.tree === tree) return head.commit;
  // Without a HEAD the one before would be taken for it.
  const parents = head === undefined ? [] : [head.commit, ...(previous === undefined ? [] : [previous])];
  const message = `${lead}${order.label}`;
  return writeCommit(git, order.worktree, { ...order, message, tree, parents: [...new Set(parents)] });
}

/** Files as they were kept, and where HEAD was at that time. */
export interface SavedTree {
  readonly commit: string;
  readonly tree: string;
  readonly head: string | undefined;
  readonly at: number;
}

/** undefined: there is no such commit any more. */
export async function readSaved(
  git: Git,
  repository: RepositoryPlace,
  commit: string,
): Promise<SavedTree | undefined> {
  try {
    return savedIn({ commit, ...(await readCommit(git, repository, commit)) });
  } catch (error) {
    if (gitFailureReason(error) !== 'other') throw error;
    return undefined;
  }
}

function savedIn(tip: Tip): SavedTree {
  const { commit, tree, parents, at } = tip;
  return { commit, tree, head: isSnapshot(tip) ? parents[0] : commit, at };
}

/** A commit of the agent's own may be called anything, but it does not name an attempt. */
function isSnapshot({ subject, attempt }: CommitFacts): boolean {
  return subject.startsWith(lead) && attempt !== undefined;
}
