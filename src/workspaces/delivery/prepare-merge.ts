import { PitonError, someNames } from '../../base/index.ts';
import {
  findDelivering,
  gitFailureReason,
  inRepository,
  isAncestor,
  listDelivered,
  mergeTrees,
  readCommit,
  writeCommit,
  type Git,
  type MergeResult,
} from '../git/index.ts';
import type { RunMerge, RunMerged } from '../delivery-contract.ts';
import type { Checkout } from './checkout.ts';
import { mergeMessage } from './merge-message.ts';
import { refused } from './refusals.ts';

/** What is to be brought in, and where. */
export interface Joining {
  readonly order: RunMerge;
  readonly checkout: Checkout;
  /** Of the branch of the run. */
  readonly tip: string;
  /** Its name, for people. */
  readonly name: string;
}

/** What the branch is to be moved to. */
export interface Prepared {
  readonly how: Exclude<RunMerged['how'], 'already'>;
  /** A commit; of a dry run, a tree if the commit would have to be made. */
  readonly target: string;
}

/** The commit by which the branch has it already, if it has. */
export async function findDelivered(git: Git, joining: Joining): Promise<string | undefined> {
  const { order, checkout, tip } = joining;
  const { head } = checkout;
  const among = [head, `^${order.repository.base}`];
  const squash = await findDelivering(git, order.repository, { tip, among });
  if (squash !== undefined) return squash;
  return (await isAncestor(git, order.repository, { ancestor: tip, of: head })) ? tip : undefined;
}

/** Without any working tree. Throws `DELIVERY_CONFLICT`, `MERGE_REFUSED`, `IDENTITY_MISSING`. */
export async function prepareMerge(git: Git, joining: Joining): Promise<Prepared> {
  const { order, checkout, tip, name } = joining;
  const { strategy, repository, isDryRun } = order;
  const { head } = checkout;
  const isAhead = await isAncestor(git, repository, { ancestor: head, of: tip });
  if (isAhead && (strategy === 'auto' || strategy === 'ff-only')) return { how: 'fast-forward', target: tip };
  if (strategy === 'ff-only') throw notAhead(checkout, name);
  const tree = await mergedTree(git, joining);
  const isSquash = strategy === 'squash';
  const how = isSquash ? 'squash' : 'merge';
  if (isDryRun) return { how, target: tree };
  const parents = isSquash ? [head] : [head, tip];
  const message = mergeMessage(order.account, { tip, isSquash });
  return { how, target: await commitAsUser(git, joining, { tree, parents, message }) };
}

async function mergedTree(git: Git, joining: Joining): Promise<string> {
  const { order, checkout, tip, name } = joining;
  const { isCaseInsensitive, branch } = checkout;
  const ours = await withSquashed(git, joining);
  const merge = await mergeTrees(git, {
    repository: order.repository,
    ours,
    theirs: tip,
    names: { ours: branch.replace('refs/heads/', ''), theirs: name },
    isCaseInsensitive,
  });
  if (merge.type === 'tree') return merge.tree;
  throw conflictWith(joining, merge);
}

/**
 * A squash has no part of the run in its history: what was brought in by it would seem to have been made twice, and what the
 * user has taken out since would come back. So the merge is told of it, by a commit that nothing leads to.
 */
async function withSquashed(git: Git, { order, checkout, tip }: Joining): Promise<string> {
  const { repository, account } = order;
  const { head } = checkout;
  for (const last of await listDelivered(git, repository, [head, `^${repository.base}`])) {
    if (!(await isAncestor(git, repository, { ancestor: last, of: tip, mayBeMissing: true }))) continue;
    const { tree } = await readCommit(git, repository, head);
    const trailers = { run: account.run, task: '', attempt: last, seq: 0 };
    const message = 'What was brought in before';
    return writeCommit(git, repository, { tree, parents: [head, last], message, trailers, at: 0 });
  }
  return head;
}

/** True of a squash that would change nothing: there would be an empty commit. */
export async function isEmptySquash(
  git: Git,
  { order, checkout }: Joining,
  target: string,
): Promise<boolean> {
  if (order.strategy !== 'squash') return false;
  const place = inRepository(order.repository);
  const tree = await git.ask(['rev-parse', '--verify', `${target}^{tree}`], place);
  return tree === (await readCommit(git, order.repository, checkout.head)).tree;
}

function notAhead({ branch }: Checkout, name: string): PitonError {
  const own = branch.replace('refs/heads/', '');
  return refused(`${own} has commits that ${name} does not have, so it cannot be moved forward`, {
    branch: own,
    remedy: 'Leave out --ff-only to have a merge commit, or use --squash.',
  });
}

function conflictWith(
  { order, checkout, name }: Joining,
  { files, messages }: Extract<MergeResult, { type: 'conflict' }>,
): PitonError {
  const paths = files.map(({ path }) => path);
  const where = paths.length === 0 ? messages.join(' ') : `both have changed ${someNames(paths, 10)}`;
  const branch = checkout.branch.replace('refs/heads/', '');
  return new PitonError(
    'DELIVERY_CONFLICT',
    `${name} conflicts with ${branch}: ${where}. Nothing was changed.`,
    {
      branch,
      files: paths,
      messages,
      remedy: `Solve it yourself: git merge ${name} in ${order.repository.root}, mend the files, git commit.`,
    },
  );
}

interface UserCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
}

/** Unlike the commits on branches of Piton, this one is the user's: without their name there is none. */
async function commitAsUser(
  git: Git,
  { order }: Joining,
  { tree, parents, message }: UserCommit,
): Promise<string> {
  const args = ['-c', 'user.useConfigOnly=true', 'commit-tree', tree];
  const options = { ...inRepository(order.repository), input: message, effect: 'merge-committed' };
  try {
    const from = parents.flatMap((parent) => ['-p', parent]);
    return (await git.run([...args, ...from, '-F', '-'], options)).stdout.trim();
  } catch (error) {
    if (gitFailureReason(error) !== 'no-identity') throw error;
    throw new PitonError('IDENTITY_MISSING', 'Git does not know who you are, so it cannot make the commit.', {
      remedy: 'Set user.name and user.email with `git config --global`, then merge again.',
      cause: error,
    });
  }
}
