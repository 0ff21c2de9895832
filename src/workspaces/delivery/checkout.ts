import { PitonError, someNames } from '../../base/index.ts';
import type { RepositoryOrigin } from '../contract.ts';
import {
  findUnfinished,
  inspectRepository,
  isOwnRef,
  type Git,
  type GitRepository,
  type WorktreePlace,
} from '../git/index.ts';
import { refused } from './refusals.ts';

/** The user's own working tree, on a branch. */
export interface Checkout {
  readonly place: WorktreePlace;
  /** The full name. */
  readonly branch: string;
  readonly head: string;
  readonly isCaseInsensitive: boolean;
}

/** Throws `MERGE_REFUSED` if nothing may be brought in there now, whatever it is. */
export async function findCheckout(git: Git, repository: RepositoryOrigin): Promise<Checkout> {
  const found = await lookAt(git, repository);
  const { root, gitDir, commonDir, branch, head, isCaseInsensitive } = found;
  const place = { path: root, gitDir, commonDir };
  if (head === undefined) throw refused(`nothing has been committed in ${root} yet`);
  // A rebase detaches HEAD: whoever is told that would look for the wrong thing.
  await refuseUnfinished(git, place);
  if (branch === undefined) throw detached(root);
  if (isOwnRef(branch)) throw onOwnBranch(root, branch);
  return Object.freeze({ place, branch, head, isCaseInsensitive });
}

async function lookAt(git: Git, { root, commonDir }: RepositoryOrigin): Promise<GitRepository> {
  const found = await inspectRepository(git, root).catch((error: unknown) => {
    if (error instanceof PitonError && error.code === 'FOLDER_MISSING') return undefined;
    throw error;
  });
  if (found?.type !== 'git' || found.commonDir !== commonDir || found.root !== root) {
    throw refused(`${root} is not the repository any more in which the run was started`, { root });
  }
  if (found.isBare) throw refused(`${root} is a bare repository, with no checkout to merge into`, { root });
  return found;
}

function detached(root: string): PitonError {
  return refused(`no branch is checked out in ${root} (HEAD is detached)`, {
    root,
    remedy: 'Switch to the branch that is to have it: git switch <branch>.',
  });
}

function onOwnBranch(root: string, branch: string): PitonError {
  const name = branch.replace('refs/heads/', '');
  return refused(`${root} is on ${name}, a branch of Piton itself`, {
    root,
    branch: name,
    remedy: 'Switch to the branch that is to have it: git switch <branch>.',
  });
}

async function refuseUnfinished(git: Git, place: WorktreePlace): Promise<void> {
  const unfinished = await findUnfinished(git, place);
  if (unfinished === undefined) return;
  const { operation, unmerged } = unfinished;
  const what = operation === 'conflict' ? 'conflicts are not solved' : `a ${operation} is under way`;
  const files = unmerged.length === 0 ? '' : `: ${someNames(unmerged, 10)}`;
  throw refused(`in ${place.path} ${what}${files}`, {
    root: place.path,
    operation,
    files: unmerged,
    remedy: 'Finish or abort it first; git status says how.',
  });
}
