import { PitonError } from '../../base/index.ts';
import type { RepositoryOrigin } from '../contract.ts';
import { gitFailureReason, inRepository, isAncestor, type Git } from '../git/index.ts';
import { inCheckout, unreachable } from './remote.ts';

export interface Push {
  readonly repository: RepositoryOrigin;
  /** The branch of the run: its whole name, and what it is at. */
  readonly ref: string;
  readonly tip: string;
  readonly remote: string;
  readonly branch: string;
  /** What the branch is at there. */
  readonly remoteTip: string | undefined;
}

/**
 * Whether the remote branch had to be moved. It is moved only from what it was seen at, and only if that is something the
 * branch of the run has been at: nobody else's work is replaced. Throws `PUSH_REFUSED`, `PUSH_FAILED`.
 */
export async function pushBranch(git: Git, push: Push): Promise<boolean> {
  const { repository, tip, remote, branch, remoteTip } = push;
  if (remoteTip === tip) return false;
  if (remoteTip !== undefined && !(await isOurs(git, push, remoteTip))) throw foreign(push);
  const target = `refs/heads/${branch}`;
  const lease = `--force-with-lease=${target}:${remoteTip ?? ''}`;
  const args = ['push', '--no-verify', '--no-follow-tags', '--recurse-submodules=no', lease];
  try {
    await git.run([...args, '--', remote, `${tip}:${target}`], {
      ...inCheckout(repository),
      effect: 'branch-pushed',
    });
  } catch (error) {
    throw pushFailure(push, error);
  }
  return true;
}

/** Contained in what is pushed, or what the branch of the run was at before it was made anew. */
async function isOurs(git: Git, { repository, ref, tip }: Push, commit: string): Promise<boolean> {
  const place = inRepository(repository);
  const isHere = await git.run(['cat-file', '-e', `${commit}^{commit}`], { ...place, okCodes: [0, 1, 128] });
  if (isHere.code !== 0) return false;
  if (await isAncestor(git, repository, { ancestor: commit, of: tip })) return true;
  const { stdout } = await git.run(['log', '--walk-reflogs', '--format=%H', ref, '--'], place);
  return stdout.split('\n').includes(commit);
}

function foreign({ remote, branch, remoteTip }: Push): PitonError {
  return new PitonError(
    'PUSH_REFUSED',
    `Somebody else has pushed to ${branch} at ${remote} (${remoteTip}).`,
    {
      remote,
      branch,
      commit: remoteTip,
      remedy: `Look at it with git fetch ${remote} ${branch}; then push under another name with --branch, or remove it there.`,
    },
  );
}

function pushFailure(push: Push, error: unknown): unknown {
  if (gitFailureReason(error) !== 'other') return unreachable(push.remote, error);
  const { details } = error as PitonError;
  const stderr = String(details['stderr']);
  if (/stale info|fetch first|non-fast-forward/.test(stderr)) return foreign(push);
  if (!/rejected|declined|denied/.test(stderr)) return unreachable(push.remote, error);
  const { remote, branch } = push;
  return new PitonError('PUSH_REFUSED', `${remote} does not take ${branch}. Git said: ${stderr.trim()}`, {
    remote,
    branch,
    cause: error,
    remedy: 'See what the remote repository demands of a branch.',
  });
}
