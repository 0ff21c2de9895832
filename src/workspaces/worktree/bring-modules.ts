import { join } from 'node:path';
import { PitonError, shellWord } from '../../base/index.ts';
import {
  bringCommit,
  findUserModule,
  findWorktreeModule,
  holdsCommit,
  isUpstream,
  keepInModule,
  ownObjects,
  secretsInModule,
  type ChangedFile,
  type Git,
  type RepositoryPlace,
} from '../git/index.ts';
import type { Integration } from '../contract.ts';
import type { Work } from './integrate-work.ts';
import type { Made } from './take-result.ts';

interface Bringing {
  readonly made: Made;
  readonly files: readonly ChangedFile[];
}

type Leaked = Extract<Integration, { type: 'secrets' }>;

/**
 * What a task has committed in a submodule lies in a repository that goes with its worktree: the user gets it before the branch of
 * the run names it, unless there are secrets in it. Throws `SUBMODULE_UNKNOWN`, unless a person has adopted it.
 */
export async function bringModules(
  git: Git,
  work: Work,
  { made, files }: Bringing,
): Promise<Leaked | undefined> {
  const modules = files.filter(({ mode }) => mode === '160000');
  for (const { path, object: commit } of modules) {
    const wanted = { path, commit };
    const target = await findUserModule(work.repository, path);
    const isThere = await bring(git, work, { ...wanted, made, target });
    if (!isThere && !work.isAdopted) throw unknown(work, made, wanted);
    if (!isThere || target === undefined) continue;
    const found = await leakedBy(git, work, { ...wanted, target });
    if (found.length > 0) return { type: 'secrets', found };
    await keepInModule(git, target, commit);
  }
  return undefined;
}

interface Wanted {
  readonly path: string;
  readonly commit: string;
}

interface Into extends Wanted {
  readonly made: Made;
  /** The user's repository of the submodule, if it is there. */
  readonly target: RepositoryPlace | undefined;
}

async function bring(git: Git, { repository }: Work, { made, path, commit, target }: Into): Promise<boolean> {
  if (target !== undefined && (await holdsCommit(git, target, { commit }))) return true;
  const gitDir = await findWorktreeModule(made.worktree, path);
  const objects = gitDir === undefined ? undefined : await ownObjects(gitDir);
  if (gitDir === undefined || objects === undefined) return false;
  if (target === undefined) return isUpstream(git, repository, { gitDir, objects, commit });
  if (!(await holdsCommit(git, target, { commit, objects }))) return false;
  await bringCommit(git, { target, objects, commit });
  return true;
}

async function leakedBy(
  git: Git,
  { secrets = {}, isAdopted }: Work,
  { path: module, commit, target }: Wanted & { readonly target: RepositoryPlace },
): Promise<Leaked['found']> {
  if (isAdopted || Object.keys(secrets).length === 0) return [];
  const found = await secretsInModule(git, target, { commit, secrets });
  return found.map((one) => (one.path === undefined ? one : { ...one, path: join(module, one.path) }));
}

function unknown({ repository: { root } }: Work, { worktree }: Made, { path, commit }: Wanted): PitonError {
  const what = `The result has the submodule ${path} at ${commit}, which is not in your repository of it, nor known to be in a remote one.`;
  return new PitonError('SUBMODULE_UNKNOWN', what, {
    path,
    commit,
    remedy: `Run \`git submodule update --init -- ${shellWord(path)}\` in ${root} (fetch in it, if it is there), or push the commit from ${join(worktree.path, path)}; then \`piton retry\`. \`piton workspace adopt\` takes the result as it is.`,
  });
}
