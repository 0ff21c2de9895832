import { rm } from 'node:fs/promises';
import { isAbsolute, join, sep } from 'node:path';
import { deleteTree, effect, PitonError, systemClock } from '../../base/index.ts';
import type { RepositoryOrigin } from '../contract.ts';
import type { MergedBranch, KeptCare } from '../upkeep-contract.ts';

import {
  archiveBranch,
  areContained,
  inRepository,
  listRefs,
  moveRef,
  readKeptName,
  readRef,
  runTipRef,
  type Git,
} from '../git/index.ts';
import { folderBytes } from './folder-bytes.ts';
import { findKeptRefs } from './kept-refs.ts';
import { findMergedBranches, isStillMerged } from './merged-branches.ts';

export interface UpkeepOptions {
  readonly git: Git;
  /** Where archives are that git does not hold. */
  readonly archives: string;
}

/** What is kept beyond its use, measured and removed. */
export function makeUpkeep({ git, archives }: UpkeepOptions): KeptCare {
  return Object.freeze({
    bytesOf: (repository, name) =>
      isAbsolute(name) ? folderBytes(name) : archiveBytes(git, needed(repository), name),
    keptRefs: (repository, recorded) => findKeptRefs(git, repository, recorded),
    dropArchive: (repository, ref) =>
      isAbsolute(ref) ? dropFolder(archives, ref) : dropRef(git, needed(repository), ref),
    mergedBranches: (repository, runs) => findMergedBranches(git, repository, runs),
    dropBranch: (repository, branch) => dropBranch(git, repository, branch),
  } satisfies KeptCare);
}

function needed(repository: RepositoryOrigin | undefined): RepositoryOrigin {
  if (repository !== undefined) return repository;
  throw new PitonError('GIT_MISSING', 'What git holds needs the repository it is in.', {
    remedy: 'Do it in a folder of that repository.',
  });
}

/** Only what no branch and no tag holds too goes with the archive. */
async function archiveBytes(git: Git, repository: RepositoryOrigin, ref: string): Promise<number> {
  const held = ['--not', '--branches', '--tags', '--remotes'];
  const args = ['rev-list', '--objects', '--disk-usage', ref, ...held];
  const { stdout } = await git.run(args, inRepository(repository));
  return Number(stdout);
}

const archived = 'refs/piton/archive/';

/** A branch of a run goes only when somebody has taken it. */
function isKept(ref: string): boolean {
  return ref.startsWith('refs/piton/') && readKeptName(ref) !== undefined;
}

async function dropRef(git: Git, repository: RepositoryOrigin, ref: string): Promise<void> {
  assertArchive(ref, ref.startsWith(archived) || isKept(ref));
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
  if (!(await isStillMerged(git, repository, merged))) return false;
  if (merged.squash !== undefined) await archiveCommits(git, repository, merged);
  const { run, branch: ref, tip: from } = merged;
  const moved = await moveRef(git, repository, { ref, to: undefined, from });
  if (moved.type === 'conflict') return false;
  const last = await readRef(git, repository, runTipRef(run));
  if (last === from) await moveRef(git, repository, { ref: runTipRef(run), to: undefined, from: last });
  return true;
}

/** No branch of the user's leads to them: so they are kept like all else that is removed. */
async function archiveCommits(git: Git, repository: RepositoryOrigin, merged: MergedBranch): Promise<void> {
  const { run, branch, tip } = merged;
  // Killed between this and the removal, it was archived before.
  const holders = [...(await listRefs(git, repository, archived)).values()];
  if (await areContained(git, repository, { commits: [tip], holders })) return;
  await archiveBranch(git, repository, { run, branch, tip, at: systemClock.now() });
}
