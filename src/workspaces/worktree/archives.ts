import { existsSync } from 'node:fs';
import { PitonError, sha256 } from '../../base/index.ts';
import type { RepositoryOrigin } from '../contract.ts';
import type { KeptArchive } from '../upkeep-contract.ts';
import {
  listArchived,
  readKeptName,
  readRef,
  readSaved,
  restoreArchive,
  taskBranch,
  type ArchiveManifest,
  type Git,
} from '../git/index.ts';

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
  const kept = (await findArchive(git, repository, ref)) ?? (await findKept(git, repository, ref));
  if (kept === undefined) throw noArchive(ref);
  const { run, task } = kept;
  const token = sha256(`${ref} ${folder}`).slice(0, 16);
  const branch = taskBranch(run, `${task}~restored-${token}`);
  try {
    await restoreArchive(git, { repository, path: folder, branch, token, ...kept });
  } catch (error) {
    if (!existsSync(folder)) throw error;
    throw inTheWay(folder, error);
  }
}

interface Restorable {
  readonly archive: string;
  readonly run: string;
  readonly task: string;
  /** Absent: it is in the archive. */
  readonly manifest?: ArchiveManifest;
}

async function findArchive(
  git: Git,
  repository: RepositoryOrigin,
  name: string,
): Promise<Restorable | undefined> {
  const archives = await listArchived(git, repository);
  const found = archives.find(({ ref, commit }) => ref === name || commit === name);
  return found && { archive: found.commit, run: found.run, task: found.task };
}

/** What is kept beside archives: what was not committed when it was saved is not committed afterwards either. */
async function findKept(
  git: Git,
  repository: RepositoryOrigin,
  ref: string,
): Promise<Restorable | undefined> {
  const { run, task = 'branch' } = readKeptName(ref) ?? {};
  const archive = run === undefined ? undefined : await readRef(git, repository, `${ref}^{commit}`);
  const saved = archive === undefined ? undefined : await readSaved(git, repository, archive);
  if (run === undefined || archive === undefined || saved === undefined) return undefined;
  const tree = { head: saved.head ?? null, branch: null, files: archive, index: null, commits: [archive] };
  return { archive, run, task, manifest: { version: 2, ...tree, siblings: [], nested: [], leftOut: [] } };
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
