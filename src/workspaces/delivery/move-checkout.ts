import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PitonError, someNames } from '../../base/index.ts';
import {
  gitFailureReason,
  inWorktree,
  withoutStaleLocks,
  type Git,
  type OwnLocks,
  type ChangedFile,
} from '../git/index.ts';
import type { Checkout } from './checkout.ts';
import { removeNote, writeNote, type MergeNote } from './merge-note.ts';
import { findObstacles, type Obstacles } from './obstacles.ts';
import { refused } from './refusals.ts';
import { findRemains, stage, type Remains } from './remains.ts';

export interface Move {
  readonly checkout: Checkout;
  readonly note: MergeNote;
  /** What becomes different in the checkout. */
  readonly files: readonly ChangedFile[];
  /** An earlier try was killed: what is half moved is ours. */
  readonly isResumed: boolean;
}

const nothing: Remains = { done: [], gone: [], torn: [] };

/** What an earlier try has left. Throws `MERGE_REFUSED` if something of the user's is in the way. */
export async function assertFree(git: Git, { checkout, files, isResumed }: Move): Promise<Remains> {
  const { place } = checkout;
  const found = await findObstacles(git, place, files);
  const paths = new Set([...found.uncommitted, ...found.untracked]);
  if (paths.size === 0) return nothing;
  if (!isResumed) throw blocked(place.path, found);
  const touched = files.filter(({ path }) => paths.has(path));
  const remains = await findRemains(git, place, touched);
  const ours = new Set([...remains.done, ...remains.gone, ...remains.torn]);
  const isTheirs = (path: string): boolean => !ours.has(path);
  const left = {
    uncommitted: found.uncommitted.filter(isTheirs),
    untracked: found.untracked.filter(isTheirs),
  };
  if (left.uncommitted.length + left.untracked.length > 0) throw blocked(place.path, left);
  return remains;
}

/**
 * The branch, the index and the files are moved by git, which refuses what would lose something even if it came in between.
 * What is done already git is told of, else it would take it for the user's changes.
 */
export async function moveCheckout(git: Git, move: Move, { done, torn }: Remains): Promise<void> {
  const { checkout, note, isResumed } = move;
  const { place } = checkout;
  if (!isResumed) await writeNote(git, place, note);
  const act = async (): Promise<void> => {
    await stage(git, { place, paths: done });
    for (const path of torn) await rm(join(place.path, path), { force: true });
    await forward(git, move);
  };
  try {
    // A lock that is there before we have begun is somebody else's.
    await (isResumed ? withoutStaleLocks(git, locksOf(checkout), act) : act());
  } catch (error) {
    const isUnbegun = isRefusal(error) || gitFailureReason(error) === 'locked';
    if (isUnbegun && !isResumed) await removeNote(place);
    throw isRefusal(error) ? refusedByGit(error, place.path) : error;
  }
  await removeNote(place);
}

async function forward(git: Git, { checkout, note }: Move): Promise<void> {
  const { place } = checkout;
  const { env, cwd } = inWorktree(place);
  const careful = ['--ff-only', '--no-overwrite-ignore', '--no-autostash', '--no-squash', '--no-stat'];
  await git.run(['merge', '--quiet', ...careful, note.commit], {
    cwd,
    env: { ...env, GIT_REFLOG_ACTION: `piton merge ${note.run}` },
    effect: 'checkout-moved',
  });
}

function locksOf({ place, branch }: Checkout): OwnLocks {
  const { path, gitDir, commonDir } = place;
  const own = new Set([
    join(gitDir, 'index.lock'),
    join(gitDir, 'HEAD.lock'),
    join(gitDir, 'ORIG_HEAD.lock'),
    join(commonDir, `${branch}.lock`),
  ]);
  return { folders: [path, gitDir], isOwn: (file) => own.has(file) };
}

function blocked(root: string, { uncommitted, untracked }: Obstacles): PitonError {
  const reasons = [
    ...(uncommitted.length === 0 ? [] : [`you have uncommitted changes in ${someNames(uncommitted, 10)}`]),
    ...(untracked.length === 0
      ? []
      : [`files that git does not have are in the way: ${someNames(untracked, 10)}`]),
  ];
  return refused(reasons.join('; and '), {
    root,
    uncommitted,
    untracked,
    remedy: 'Commit, stash or move them, then merge again. Changes in other files may stay.',
  });
}

/** What git itself would not do, and has not begun. */
function isRefusal(error: unknown): error is PitonError {
  if (gitFailureReason(error) !== 'other') return false;
  return /would be overwritten|would lose untracked|Not possible to fast-forward|Aborting|not up to ?date|GPG signature/i.test(
    stderrOf(error as PitonError),
  );
}

function refusedByGit(error: PitonError, root: string): PitonError {
  const stderr = stderrOf(error);
  const files = [...stderr.matchAll(/^\t(.+)$/gm)].map(([, path]) => path!);
  const reason =
    files.length === 0 ? `git says: ${stderr.trim()}` : `it would overwrite ${someNames(files, 10)}`;
  return refused(reason.replace(/\.$/, ''), {
    root,
    files,
    cause: error,
    remedy: /GPG signature/.test(stderr) ? unsigned : 'Commit, stash or move them, then merge again.',
  });
}

/** What the user has asked git for is not passed over. */
const unsigned =
  'Piton does not sign. Without merge.verifySignatures it can be merged; or make a signed commit of it: git merge --squash, then git commit -S.';

function stderrOf(error: PitonError): string {
  return String(error.details['stderr']);
}
