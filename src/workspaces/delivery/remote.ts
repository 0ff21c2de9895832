import { PitonError } from '../../base/index.ts';
import type { RepositoryOrigin } from '../contract.ts';
import { inRepository, type Git, type GitRun } from '../git/index.ts';

/** Addresses of remotes may be relative to the checkout. */
export function inCheckout({ root, commonDir }: RepositoryOrigin): Pick<GitRun, 'cwd' | 'env'> {
  return { cwd: root, env: { GIT_DIR: commonDir, GIT_COMMON_DIR: commonDir, GIT_WORK_TREE: root } };
}

/** That which is named; else the one that the base, or the branch that is checked out, belongs to; else `origin`. */
export async function chooseRemote(
  git: Git,
  repository: RepositoryOrigin,
  { remote, base }: { readonly remote: string | undefined; readonly base: string | undefined },
): Promise<string> {
  const chosen = remote ?? (await upstreamOf(git, repository, base)) ?? 'origin';
  const { stdout } = await git.run(['remote'], inRepository(repository));
  const known = stdout.split('\n').filter((name) => name !== '');
  if (known.includes(chosen)) return chosen;
  const message =
    known.length === 0
      ? 'The repository has no remotes.'
      : `The repository has no remote ${chosen}. It has ${known.join(', ')}.`;
  throw new PitonError('PUSH_FAILED', message, {
    remote: chosen,
    known,
    remedy: `Add one with git remote add ${chosen} <url>, or name another in \`delivery.remote\` of .piton/config.yaml.`,
  });
}

async function upstreamOf(
  git: Git,
  repository: RepositoryOrigin,
  base: string | undefined,
): Promise<string | undefined> {
  const current = (): Promise<string | undefined> =>
    git.ask(['symbolic-ref', '--quiet', '--short', 'HEAD'], { cwd: repository.root });
  const branch = base ?? (await current());
  if (branch === undefined) return undefined;
  const remote = await git.ask(['config', '--get', `branch.${branch}.remote`], inRepository(repository));
  // A branch may follow another one of the same repository.
  return remote === '.' ? undefined : remote;
}

export interface RemoteView {
  /** What the remote repository takes for its main branch. */
  readonly main: string | undefined;
  /** What the branch is at there. */
  readonly tip: string | undefined;
}

/** Asks the remote repository itself: what is known of it here may be old. */
export async function lookAtRemote(
  git: Git,
  repository: RepositoryOrigin,
  { remote, branch }: { readonly remote: string; readonly branch: string },
): Promise<RemoteView> {
  const ref = `refs/heads/${branch}`;
  const args = ['ls-remote', '--symref', '--', remote, 'HEAD', ref];
  const { stdout } = await git.run(args, inCheckout(repository)).catch((error: unknown) => {
    throw unreachable(remote, error);
  });
  const lines = stdout.split('\n').map((line) => line.split('\t'));
  const main = lines.find(([what, name]) => name === 'HEAD' && what?.startsWith('ref: refs/heads/') === true);
  return {
    main: main?.[0]?.slice('ref: refs/heads/'.length),
    tip: lines.find(([, name]) => name === ref)?.[0],
  };
}

export function unreachable(remote: string, error: unknown): unknown {
  if (!(error instanceof PitonError) || error.code !== 'GIT_FAILED') return error;
  const said = String(error.details['stderr'] ?? '').trim();
  return new PitonError('PUSH_FAILED', `The remote ${remote} could not be reached. Git said: ${said}`, {
    remote,
    cause: error,
    remedy: `See whether git ls-remote ${remote} works for you, without being asked for a password.`,
  });
}
