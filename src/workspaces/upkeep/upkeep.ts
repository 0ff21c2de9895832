import { rm } from 'node:fs/promises';
import { isAbsolute, join, sep } from 'node:path';
import { effect, PitonError } from '../../base/index.ts';
import type { MergedBranch, RepositoryOrigin, Upkeep } from '../contract.ts';
import { deleteTree } from '../files.ts';
import { moveRef, readRef, runTipRef, type Git } from '../git/index.ts';
import { folderBytes } from './folder-bytes.ts';
import { findMergedBranches, holderOf } from './merged-branches.ts';

export interface UpkeepOptions {
  readonly git: Git;
  /** Where archives are that git does not hold. */
  readonly archives: string;
}

/** What is kept beyond its use, measured and removed. */
export function makeUpkeep({ git, archives }: UpkeepOptions): Upkeep {
  return Object.freeze({
    bytesOf: (repository, name) =>
      isAbsolute(name) ? folderBytes(name) : archiveBytes(git, needed(repository), name),
    dropArchive: (repository, ref) =>
      isAbsolute(ref) ? dropFolder(archives, ref) : dropRef(git, needed(repository), ref),
    mergedBranches: (repository, runs) => findMergedBranches(git, repository, runs),
    dropBranch: (repository, branch) => dropBranch(git, repository, branch),
  } satisfies Upkeep);
}

function needed(repository: RepositoryOrigin | undefined): RepositoryOrigin {
  if (repository !== undefined) return repository;
  throw new PitonError('GIT_MISSING', 'What git holds needs the repository it is in.');
}

/** Only what no branch and no tag holds too goes with the archive. */
async function archiveBytes(git: Git, { commonDir }: RepositoryOrigin, ref: string): Promise<number> {
  const held = ['--not', '--branches', '--tags', '--remotes'];
  const { stdout } = await git.run(['rev-list', '--objects', '--disk-usage', ref, ...held], {
    cwd: commonDir,
    env: { GIT_DIR: commonDir },
  });
  return Number(stdout);
}

async function dropRef(git: Git, repository: RepositoryOrigin, ref: string): Promise<void> {
  assertArchive(ref, ref.startsWith('refs/piton/archive/'));
  const from = await readRef(git, repository, ref);
  if (from !== undefined) await moveRef(git, repository, { ref, to: undefined, from });
}

/** Killed in the middle, it is still listed, and goes the next time. */
async function dropFolder(archives: string, folder: string): Promise<void> {
  assertArchive(folder, join(folder).startsWith(archives + sep));
  await effect('archive.dropped', async () => {
    await deleteTree(folder);
    // What stands beside it says what it was.
    await rm(`${folder}.piton.json`, { force: true });
  });
}

function assertArchive(name: string, isArchive: boolean): void {
  if (isArchive) return;
  throw new PitonError('REF_NOT_OURS', `${name} is not an archive of Piton's, so it is not removed.`, {
    remedy: 'See the archives with piton workspace list.',
  });
}

/** Looked at again right before: the branch that holds it may have been moved since. */
async function dropBranch(git: Git, repository: RepositoryOrigin, merged: MergedBranch): Promise<boolean> {
  if ((await holderOf(git, repository, merged)) === undefined) return false;
  const { run, branch: ref, tip: from } = merged;
  const moved = await moveRef(git, repository, { ref, to: undefined, from });
  if (moved.type === 'conflict') return false;
  const last = await readRef(git, repository, runTipRef(run));
  if (last === from) await moveRef(git, repository, { ref: runTipRef(run), to: undefined, from: last });
  return true;
}
