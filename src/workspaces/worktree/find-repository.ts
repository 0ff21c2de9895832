import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { PitonError } from '../../base/index.ts';
import type { FoundRepository } from '../contract.ts';
import { gitFailureReason, inspectRepository, requireGit, type Git, type Repository } from '../git/index.ts';

/** The repository in which tasks of a run in that folder would have worktrees; undefined: there is none. */
export async function findRepository(
  git: Git,
  folder: string,
  base: string | undefined,
): Promise<FoundRepository | undefined> {
  const found = await inspect(git, folder);
  if (found.type === 'none' || found.isBare || found.head === undefined) return undefined;
  // Asked now, for it would come out only when there is work to be merged, which somebody has paid for.
  await requireGit(git, { major: 2, minor: 38, for: 'Work in worktrees' });
  const { root, commonDir, subfolder: prefix, uncommitted } = found;
  const commit = base === undefined ? found.head : await commitOf(git, root, base);
  return { root, commonDir, base: commit, prefix, uncommitted };
}

/** Without a git there can still be no repository. */
async function inspect(git: Git, folder: string): Promise<Repository> {
  try {
    return await inspectRepository(git, folder);
  } catch (error) {
    if (gitFailureReason(error) !== 'no-git' || isInRepository(resolve(folder))) throw error;
    return { type: 'none' };
  }
}

function isInRepository(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return true;
  return dirname(folder) !== folder && isInRepository(dirname(folder));
}

async function commitOf(git: Git, root: string, base: string): Promise<string> {
  const args = ['rev-parse', '--quiet', '--verify', '--end-of-options', `${base}^{commit}`];
  const commit = await git.ask(args, { cwd: root });
  if (commit !== undefined) return commit;
  throw new PitonError('BASE_UNKNOWN', `There is no branch or commit ${base} to begin from.`, {
    base,
    remedy: 'Name one that is in this repository, after `base`.',
  });
}
