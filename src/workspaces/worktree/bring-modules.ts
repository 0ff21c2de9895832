import { join } from 'node:path';
import { PitonError } from '../../base/index.ts';
import {
  bringCommit,
  findUserModule,
  findWorktreeModule,
  holdsCommit,
  isUpstream,
  keepInModule,
  ownObjects,
  type ChangedFile,
  type Git,
} from '../git/index.ts';
import type { Work } from './integrate-work.ts';
import type { Made } from './take-result.ts';

interface Bringing {
  readonly made: Made;
  readonly files: readonly ChangedFile[];
}

/**
 * What a task has committed in a submodule lies in a repository that goes with its worktree: the user gets it before the branch of
 * the run names it. Throws `SUBMODULE_UNKNOWN`, unless a person has adopted it.
 */
export async function bringModules(git: Git, work: Work, { made, files }: Bringing): Promise<undefined> {
  const modules = files.filter(({ mode }) => mode === '160000');
  for (const { path, object: commit } of modules) {
    const isThere = await bring(git, work, { made, path, commit });
    if (!isThere && !work.isAdopted) throw unknown(work, made, { path, commit });
  }
}

interface Wanted {
  readonly path: string;
  readonly commit: string;
}

async function bring(
  git: Git,
  { repository }: Work,
  { made, path, commit }: Wanted & { readonly made: Made },
): Promise<boolean> {
  const target = await findUserModule(repository, path);
  if (target !== undefined && (await holdsCommit(git, target, { commit }))) {
    await keepInModule(git, target, commit);
    return true;
  }
  const gitDir = await findWorktreeModule(made.worktree, path);
  const objects = gitDir === undefined ? undefined : await ownObjects(gitDir);
  if (gitDir === undefined || objects === undefined) return false;
  if (target === undefined) return isUpstream(git, repository, { gitDir, objects, commit });
  if (!(await holdsCommit(git, target, { commit, objects }))) return false;
  await bringCommit(git, { target, objects, commit });
  return true;
}

function unknown({ repository: { root } }: Work, { worktree }: Made, { path, commit }: Wanted): PitonError {
  const what = `The result has the submodule ${path} at ${commit}, which is not in your repository of it, nor known to be in a remote one.`;
  return new PitonError('SUBMODULE_UNKNOWN', what, {
    path,
    commit,
    remedy: `Run \`git submodule update --init -- ${path}\` in ${root} (fetch in it, if it is there), or push the commit from ${join(worktree.path, path)}; then \`piton retry\`. \`piton workspace adopt\` takes the result as it is.`,
  });
}
