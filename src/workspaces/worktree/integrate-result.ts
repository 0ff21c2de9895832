import { PitonError } from '../../base/index.ts';
import type { IntegrateRequest, Integration } from '../contract.ts';
import {
  commitResult,
  findLeftConflict,
  leaveConflict,
  mergeInto,
  moveRef,
  readRef,
  runBranch,
  unsolvedFiles,
  type Git,
  type MergeResult,
  type TaskResult,
  type WorktreePlace,
} from '../git/index.ts';

/** So often the branch of the run may move under our hands. */
const mostTries = 10;

type Order = IntegrateRequest & {
  /** Undefined: it is gone, and what it left is on its branch. */
  readonly worktree: WorktreePlace | undefined;
};

/** Makes a commit of what the task has left, and brings it to the branch of the run. Done again, it finds what was done. */
export async function integrateResult(git: Git, order: Order): Promise<Integration> {
  const left = order.worktree && (await findLeftConflict(git, order.worktree, order.attempt));
  if (left !== undefined) return { type: 'conflict', ...left };
  const result = await resultOf(git, order);
  return result.type === 'unfinished' ? unfinished(result) : bringIn(git, order, result);
}

async function bringIn(git: Git, order: Order, result: Found): Promise<Integration> {
  const ref = runBranch(order.run);
  for (let tries = 0; tries < mostTries; tries++) {
    const ours = await readRef(git, order.repository, ref);
    if (ours === undefined) throw branchGone(ref);
    if (result.type === 'unchanged') return { type: 'integrated', result: result.commit, commit: ours };
    const sides = { ours, theirs: result.commit };
    const unsolved = await unsolvedFiles(git, order.repository, sides);
    if (unsolved.length > 0) return stillMarked(unsolved);
    const merge = await mergeInto(git, mergeOrder(order, sides));
    if (merge.type === 'already') return { type: 'integrated', result: result.commit, commit: ours };
    if (merge.type === 'conflict') return conflict(git, { order, sides, merge });
    const moved = await moveRef(git, order.repository, { ref, to: merge.commit, from: ours });
    if (moved.type !== 'conflict') return { type: 'integrated', result: result.commit, commit: merge.commit };
  }
  throw new PitonError('GIT_FAILED', `${ref} moves all the time: somebody else writes to it.`, { ref });
}

type Found = Pick<Exclude<TaskResult, { type: 'unfinished' }>, 'type' | 'commit'>;

/** Killed right after it was removed, a worktree is looked for once more: by then its work is on its branch. */
async function resultOf(
  git: Git,
  order: Order,
): Promise<Found | Extract<TaskResult, { type: 'unfinished' }>> {
  const { worktree, repository, known, task, at } = order;
  if (worktree !== undefined) {
    const message = `Piton: ${task}`;
    const ref = known.branch;
    return commitResult(git, { worktree, base: known.base, ref, message, trailers: trailersOf(order), at });
  }
  const commit = await readRef(git, repository, known.branch);
  if (commit === undefined) throw branchGone(known.branch);
  return { type: commit === known.base ? 'unchanged' : 'committed', commit };
}

function trailersOf({ run, task, attempt, seq }: Order) {
  return { run, task, attempt, seq };
}

function mergeOrder(order: Order, sides: { readonly ours: string; readonly theirs: string }) {
  const message = `Piton: merge ${order.task}`;
  return { repository: order.repository, ...sides, message, trailers: trailersOf(order), at: order.at };
}

interface Conflict {
  readonly order: Order;
  readonly sides: { readonly ours: string; readonly theirs: string };
  readonly merge: Extract<MergeResult, { type: 'conflict' }>;
}

/** Whoever is to make them fit finds both sides in the worktree. */
async function conflict(git: Git, { order, sides, merge }: Conflict): Promise<Integration> {
  const { worktree, known, task, at, leavesConflict } = order;
  const files = merge.files.map(({ path }) => path);
  const messages = merge.messages.join('\n');
  if (!leavesConflict || worktree === undefined || merge.tree === undefined)
    return { type: 'conflict', files, report: messages };
  const report = `${messages}\n${bothSides}`;
  await leaveConflict(git, {
    worktree,
    branch: known.branch,
    result: sides.theirs,
    ours: sides.ours,
    tree: merge.tree,
    files,
    report,
    message: `Piton: ${task}, to be made to fit`,
    trailers: trailersOf(order),
    at,
  });
  return { type: 'conflict', files, report };
}

const bothSides =
  'What others have made in the meantime is in your files now. Where both have changed the same, you find the two versions between marks (<<<<<<<, =======, >>>>>>>): bring them together as both sides meant it, and leave no mark.';

function stillMarked(files: readonly string[]): Integration {
  const report = `Marks of the conflict are still in: ${files.join(', ')}. Bring the two versions together, and leave no mark.`;
  return { type: 'conflict', files, report };
}

function unfinished({ operation, unmerged }: Extract<TaskResult, { type: 'unfinished' }>): Integration {
  const report = `A ${operation} was begun in the worktree and not brought to its end. Finish or abort it.`;
  return { type: 'conflict', files: unmerged, report };
}

function branchGone(ref: string): PitonError {
  return new PitonError('GIT_FAILED', `The branch of the run is gone: ${ref}.`, {
    ref,
    remedy: 'Its commits are in the reflog of the repository: make it again, and `piton retry`.',
  });
}
