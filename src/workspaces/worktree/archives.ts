import { existsSync } from 'node:fs';
import { PitonError, sha256 } from '../../base/index.ts';
import type { KeptArchive, RepositoryOrigin } from '../contract.ts';
import { listArchived, restoreArchive, taskBranch, type Git } from '../git/index.ts';

export async function listArchives(git: Git, repository: RepositoryOrigin): Promise<readonly KeptArchive[]> {
  const archives = await listArchived(git, repository);
  return archives.map(({ ref, run, task, at }) => ({ ref, run, task, at }));
}

export interface Restoring {
  readonly ref: string;
  /** Not there yet, or left by a killed try. */
  readonly folder: string;
}

/** A worktree of its own, on a branch of its own: the place that it was made of may be in use again. */
export async function restoreInto(
  git: Git,
  repository: RepositoryOrigin,
  { ref, folder }: Restoring,
): Promise<void> {
  const archive = (await listArchived(git, repository)).find((one) => one.ref === ref || one.commit === ref);
  if (archive === undefined) throw noArchive(ref);
  const { run, task } = archive;
  const token = sha256(`${ref} ${folder}`).slice(0, 16);
  const branch = taskBranch(run, `${task}~restored-${token}`);
  const order = { repository, archive: archive.commit, path: folder, branch, run, task, token };
  try {
    await restoreArchive(git, order);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    throw inTheWay(folder, error);
  }
}

function noArchive(ref: string): PitonError {
  return new PitonError('ARCHIVE_UNREADABLE', `There is no archive ${ref}.`, {
    archive: ref,
    remedy: '`piton workspace list` names all that are there.',
  });
}

/** What went wrong is told as it is, unless the folder was there before. */
function inTheWay(folder: string, error: unknown): unknown {
  if (!(error instanceof PitonError) || error.code !== 'WORKTREE_REFUSED') return error;
  return new PitonError('WORKTREE_REFUSED', error.message, {
    ...error.details,
    folder,
    remedy: 'Name a folder that is not there yet.',
    cause: error,
  });
}
