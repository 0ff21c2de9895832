import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { deleteTree, effect, hasCode, systemClock } from '../../base/index.ts';
import type { Cleaned, RepositoryOrigin } from '../contract.ts';
import type { Stray } from '../upkeep-contract.ts';
import { namesIn, writeWhole } from '../files.ts';
import {
  archiveBranch,
  archiveStamp,
  areContained,
  dropRefs,
  encodeName,
  freshMarker,
  keepReachable,
  listRefs,
  removeRecord,
  removeWorktree,
  writeMarker,
  type Git,
  type Marker,
  type WorktreePlace,
} from '../git/index.ts';
import { beginToLeave, keepAll } from './keep-all.ts';
import type { WorktreeOptions } from './options.ts';
import { lookAtPath, type Standing } from './standing.ts';
import { findUnkept } from './unkept.ts';

const factsEnd = '.piton.json';

/** What holds nothing is removed; all else is archived first. */
export async function cleanStray(
  options: WorktreeOptions,
  repository: RepositoryOrigin | undefined,
  stray: Stray,
): Promise<Cleaned> {
  if (repository === undefined || stray.kind === 'folder') return cleanFolder(options, stray);
  if (stray.kind === 'branch') return cleanBranch(options.git, repository, stray);
  return cleanWorktree(options, repository, stray);
}

/** A folder without git is kept as it is, where those of other kinds of places are kept. */
async function cleanFolder({ folder, git }: WorktreeOptions, { name, run, task }: Stray): Promise<Cleaned> {
  const isRest = basename(name).includes('.removed-');
  if (isRest || (await isEmpty(name))) {
    await effect('workspace.rest-removed', () => deleteTree(name));
    await rmdir(dirname(name)).catch(() => undefined);
    return { how: 'removed', reason: isRest ? 'all that was in it was kept before' : 'it was empty' };
  }
  const at = systemClock.now();
  const group = run === undefined ? basename(dirname(name)) : encodeName(run);
  const whose = task === undefined ? basename(name) : encodeName(task);
  const kept = join(dirname(folder), 'archive', group, whose, archiveStamp(at));
  await mkdir(dirname(kept), { recursive: true });
  await forgetBegun(dirname(kept));
  // By what stands beside it, it is listed and can be restored.
  const facts = { run: run ?? group, task: task ?? whose, token: '', at };
  await writeWhole(`${kept}${factsEnd}`, `${JSON.stringify(facts, null, 2)}\n`, git.durability);
  await effect('workspace.folder-archived', () => rename(name, kept));
  await rmdir(dirname(name)).catch(() => undefined);
  return { how: 'archived', reason: 'it is no worktree, so it was moved as it is', ref: kept };
}

/** Facts that stand beside nothing: whoever wrote them was killed before the folder was moved. */
async function forgetBegun(archives: string): Promise<void> {
  const names = await namesIn(archives);
  const begun = names.filter(
    (name) => name.endsWith(factsEnd) && !names.includes(name.slice(0, -factsEnd.length)),
  );
  for (const name of begun) await rm(join(archives, name), { force: true });
}

async function isEmpty(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).length === 0;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return true;
    if (hasCode(error, 'ENOTDIR')) return false;
    throw error;
  }
}

async function cleanBranch(git: Git, repository: RepositoryOrigin, { name }: Stray): Promise<Cleaned> {
  const refs = await listRefs(git, repository);
  const tip = refs.get(name);
  if (tip === undefined) return { how: 'removed', reason: 'it was gone already' };
  const holders = [...refs].filter(([ref]) => ref !== name).map(([, commit]) => commit);
  const isHeld = await areContained(git, repository, { commits: [tip], holders });
  const ref = isHeld
    ? undefined
    : await archiveBranch(git, repository, { branch: name, tip, at: systemClock.now() });
  if (!(await dropRefs(git, repository, new Map([[name, tip]]))))
    return { how: 'kept', reason: 'it was moved meanwhile' };
  if (ref === undefined) return { how: 'removed', reason: 'other refs lead to all of its commits' };
  return { how: 'archived', reason: 'nothing else led to its commits', ref };
}

async function cleanWorktree(
  options: WorktreeOptions,
  repository: RepositoryOrigin,
  { name, run = 'unknown', task = 'unknown' }: Stray,
): Promise<Cleaned> {
  const { git } = options;
  const standing = await lookAtPath(repository, name);
  const { entry, worktree, path, link } = standing;
  if (entry === undefined) return cleanFolder(options, { kind: 'folder', name, text: '', run, task });
  if (entry.locked !== undefined) return { how: 'kept', reason: `it is locked (${entry.locked})` };
  if (worktree !== undefined) return removeKept(options, { repository, standing, worktree, run, task });
  const place = { path, gitDir: entry.gitDir, commonDir: repository.commonDir };
  const owner = { run, task, base: repository.base, branch: 'HEAD', ...standing.marker };
  await keepReachable(git, place, owner);
  if (link.type !== 'absent') return cleanFolder(options, { kind: 'folder', name, text: '', run, task });
  await removeRecord(git, repository, path);
  return { how: 'removed', reason: 'its folder was gone already' };
}

interface StrayWorktree {
  readonly repository: RepositoryOrigin;
  readonly standing: Standing;
  readonly worktree: WorktreePlace;
  readonly run: string;
  readonly task: string;
}

async function removeKept({ git, caches, filling }: WorktreeOptions, stray: StrayWorktree): Promise<Cleaned> {
  const { repository, worktree } = stray;
  const marker = stray.standing.marker ?? (await mark(git, stray));
  const { run, task, token } = marker;
  const refs = await listRefs(git, repository);
  const holding = { worktree, marker, holders: [...refs.values()], caches };
  const isElsewhere = (path: string): Promise<boolean> => filling.isCopied(worktree.path, path);
  const more = { hasStash: refs.has('refs/stash'), isIgnoredLeft: false, isElsewhere };
  const unkept = await findUnkept(git, { ...holding, ...more });
  const cleaned =
    unkept === undefined
      ? nothingLost
      : await archive(git, { marker, worktree, caches, unkept, isElsewhere });
  if (cleaned.how === 'kept') return cleaned;
  const removal = await removeWorktree(git, { run, task, token, path: worktree.path, repository });
  if (removal.type === 'refused') return { ...cleaned, how: 'kept', reason: removal.why };
  await filling.release(worktree);
  await rmdir(dirname(worktree.path)).catch(() => undefined);
  return cleaned;
}

const nothingLost: Cleaned = { how: 'removed', reason: 'all that was in it is in git' };

interface Leaving {
  readonly marker: Marker;
  readonly worktree: WorktreePlace;
  readonly caches: readonly string[];
  readonly unkept: string;
  /** Else a password that was copied into the worktree would be in the repository from then on. */
  isElsewhere(path: string): Promise<boolean>;
}

async function archive(git: Git, { marker, worktree, unkept, ...leaving }: Leaving): Promise<Cleaned> {
  const { run, task, token: attempt } = marker;
  const trailers = { run, task, attempt, seq: 0 };
  const at = await beginToLeave(git, worktree);
  const { archive: made, missing } = await keepAll(git, { worktree, trailers, at, ...leaving });
  const { ref } = made;
  if (missing !== undefined) return { how: 'kept', reason: `not all of it could be kept: ${missing}`, ref };
  return { how: 'archived', reason: `it held ${unkept}`, ref };
}

/** Only what bears a mark is ever removed. */
async function mark(git: Git, { repository, worktree, run, task }: StrayWorktree): Promise<Marker> {
  const { base } = repository;
  const order = { run, task, token: 'stray', path: worktree.path, branch: 'HEAD', base, repository };
  const marker = { ...(await freshMarker(git, order)), isReady: true };
  await writeMarker(git, worktree.gitDir, marker);
  return marker;
}
