import { crashPoint } from '../../base/index.ts';
import type { Cleaned, CleanRequest } from '../contract.ts';
import {
  archiveWorktree,
  isAncestor,
  moveRef,
  proveKept,
  readCommit,
  removeWorktree,
  type Archive,
  type Git,
  type WorktreePlace,
} from '../git/index.ts';
import { isUnchangedCopy } from './copies.ts';

type Order = CleanRequest & { readonly worktree: WorktreePlace; readonly caches: readonly string[] };

/** Removes the worktree, but keeps all that would be lost by that; what cannot be kept keeps it from being removed. */
export async function cleanWorktree(git: Git, order: Order): Promise<Cleaned> {
  const { run, task, known, repository, worktree, at, caches } = order;
  const trailers = { run, task, attempt: known.token, seq: 0 };
  // Else a password that was copied into the worktree would be in the repository from then on.
  const isElsewhere = (path: string): Promise<boolean> => isUnchangedCopy(order, known.path, path);
  const archiving = { worktree, trailers, at, caches, isElsewhere };
  const archive = await archiveWorktree(git, archiving);
  const { ref } = archive;
  const { isKept, missing } = await proveKept(git, archiving);
  if (!isKept) return { how: 'kept', reason: `not all of it could be kept: ${textOf(missing)}`, ref };
  const { path, token } = known;
  const removal = await removeWorktree(git, { run, task, token, path, repository });
  if (removal.type === 'refused') return { how: 'kept', reason: removal.why, ref };
  crashPoint('after:workspace.removed');
  if (!(await isContained(git, order, archive))) {
    return { how: 'archived', reason: 'it held more than the result', ref };
  }
  await moveRef(git, repository, { ref, to: undefined, from: archive.commit });
  return { how: 'removed', reason: 'all that was in it is in the result' };
}

/** Whether the archive holds nothing that the result does not hold. */
async function isContained(git: Git, { repository, result }: Order, { manifest }: Archive): Promise<boolean> {
  if (result === undefined || manifest.nested.length > 0 || manifest.leftOut.length > 0) return false;
  const commits = [...manifest.commits, ...(manifest.head === null ? [] : [manifest.head])];
  for (const commit of commits) {
    if (!(await isAncestor(git, repository, { ancestor: commit, of: result }))) return false;
  }
  const [files, made] = [
    await readCommit(git, repository, manifest.files),
    await readCommit(git, repository, result),
  ];
  return manifest.index === null && files.tree === made.tree;
}

function textOf(missing: readonly { readonly what: string; readonly why: string }[]): string {
  return missing
    .slice(0, 3)
    .map(({ what, why }) => `${what} (${why})`)
    .join(', ');
}
