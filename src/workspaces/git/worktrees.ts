import { rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PitonError } from '../../base/index.ts';
import { checkOut } from './checkout.ts';
import { isAncestor } from './ancestry.ts';
import { readHead, readHeadTree } from './commits.ts';
import type { Git } from './git.ts';
import { releaseLock } from './lock-files.ts';
import {
  assertOwner,
  isSameOwner,
  tidyRecord,
  writeMarker,
  type Marker,
  type MarkerNotes,
  type MarkerOwner,
} from './marker.ts';
import { isOwnRef } from './names.ts';
import { ownPlace, realPlace, type RepositoryPlace, type WorktreePlace } from './places.ts';
import { noteIndex } from './own-index.ts';
import { assertOwnRef, listRefs, moveRef } from './refs.ts';
import { keepReachable, listStashes } from './reflogs.ts';
import { runOnRecords, sweepRecords } from './worktree-records.ts';
import { findWorktree, readLink, type FolderLink, type WorktreeEntry } from './worktree-list.ts';

export interface WorktreeOrder extends MarkerOwner {
  readonly repository: RepositoryPlace;
  readonly path: string;
  /** The full name of a branch of Piton's. */
  readonly branch: string;
  /** The commit that it starts from. */
  readonly base: string;
  /** Where the branch begins, if it is not there yet; absent: at the base. */
  readonly start?: string;
  /** All refs, if they were read just now. */
  readonly refs?: ReadonlyMap<string, string>;
  /** For its marker. */
  readonly notes?: MarkerNotes;
  /** Puts its files there, whatever a killed try has left of them; absent: those of HEAD. */
  fill?(place: WorktreePlace): Promise<void>;
}

export interface AddedWorktree extends WorktreePlace {
  /** Where HEAD is: not the base, if it was found again with work in it. */
  readonly head: string;
  readonly isNew: boolean;
}

/**
 * The worktree of a task: made, or found again as it is, whatever a crash has left of an earlier try. Nothing that could be
 * work is overwritten: what is there and cannot be told to be ours is refused (WORKTREE_REFUSED).
 */
export async function addWorktree(git: Git, given: WorktreeOrder): Promise<AddedWorktree> {
  assertOwner(given);
  assertOwnRef(given.branch);
  const repository = { commonDir: await realPlace(given.repository.commonDir) };
  const order = { ...given, repository, path: await ownPlace(given.path) };
  const found = await findWorktree(git, order.repository, order.path);
  const ours = found && (await takeUp(git, order, found));
  if (ours !== undefined) return finish(git, order, { place: ours, isNew: false });
  await sweepRecords(git, order.repository);
  await clearPath(order);
  const head = await placeBranch(git, order);
  return finish(git, order, { place: await register(git, order), isNew: true, head });
}

interface OnRecord {
  readonly entry: WorktreeEntry;
  readonly place: WorktreePlace;
  readonly marker: Marker | undefined;
  readonly link: FolderLink;
}

/** undefined: what was on record is gone, and so is the record now. */
async function takeUp(
  git: Git,
  order: WorktreeOrder,
  entry: WorktreeEntry,
): Promise<WorktreePlace | undefined> {
  const gitDir = entry.gitDir!;
  const place = { path: order.path, gitDir, commonDir: order.repository.commonDir };
  const found = { entry, place, marker: await tidyRecord(gitDir), link: await readLink(order.path) };
  const why = whyNotOurs(order, found);
  if (why !== undefined) throw refused(order, why, { marker: found.marker, branch: entry.branch });
  await releaseMaking(place, entry);
  if (!isGone(found)) return place;
  await keepReachable(git, place, order);
  await removeEmptyFolder(found);
  await removeRecord(git, order.repository, order.path);
  return undefined;
}

/** Git will not forget a worktree whose folder is there without a link. Fails, as it should, if the folder is not empty. */
async function removeEmptyFolder({ link, place }: OnRecord): Promise<void> {
  if (link.type === 'linked') await rm(join(place.path, '.git'), { force: true });
  if (link.type !== 'absent') await rmdir(place.path);
}

function whyNotOurs(order: WorktreeOrder, found: OnRecord): string | undefined {
  const { entry, marker, link } = found;
  const isOurs = marker === undefined ? entry.branch === order.branch : isSameOwner(marker, order);
  // A killed `git worktree add` leaves no more than that.
  if (!isOurs && !isInTheMaking(found)) return 'is the worktree of somebody else';
  if (isGone(found)) return isLocked(entry) ? `is gone, but locked (${entry.locked})` : undefined;
  if (link.type !== 'linked' || link.gitDir !== entry.gitDir) {
    return 'is a folder that has taken the place of the worktree';
  }
  return marker === undefined && !link.isBare ? 'has files, but not the mark of Piton' : undefined;
}

function isLocked({ locked }: WorktreeEntry): boolean {
  return locked !== undefined && locked !== beingMade;
}

/** The word in which git locks the record of a worktree until it is made. */
const beingMade = 'initializing';

function isInTheMaking({ entry, marker, link }: OnRecord): boolean {
  return marker === undefined && entry.locked === beingMade && isWithoutFiles(link);
}

function isGone(found: OnRecord): boolean {
  const { entry, link } = found;
  if (link.type !== 'linked') return isWithoutFiles(link);
  return entry.head === undefined && isInTheMaking(found);
}

function isWithoutFiles(link: FolderLink): boolean {
  if (link.type === 'linked') return link.isBare;
  return link.type === 'absent' || (link.type === 'unlinked' && link.isEmpty);
}

async function releaseMaking(place: WorktreePlace, entry: WorktreeEntry): Promise<void> {
  if (entry.locked === beingMade) await rm(join(place.gitDir, 'locked'), { force: true });
}

/** Of a worktree whose folder is gone. */
export async function removeRecord(git: Git, repository: RepositoryPlace, path: string): Promise<void> {
  await runOnRecords(git, repository, { args: ['remove', '--force', path], effect: 'worktree-forgotten' });
}

async function clearPath(order: WorktreeOrder): Promise<void> {
  const link = await readLink(order.path);
  if (link.type !== 'linked' && isWithoutFiles(link)) return;
  const records = join(order.repository.commonDir, 'worktrees/');
  if (link.type === 'linked' && link.isBare && link.gitDir.startsWith(records)) {
    return rm(join(order.path, '.git'), { force: true });
  }
  throw refused(order, 'is there already, and is not a worktree of this repository', { link });
}

/** A branch that has gone on from the base is taken as it is: it may hold the work of a worktree that was lost. */
async function placeBranch(git: Git, order: WorktreeOrder): Promise<string> {
  const { repository, branch, base, start = base, refs } = order;
  const actual = refs?.get(branch) ?? (await beginBranch(git, order, start));
  if (actual === start || (await isAncestor(git, repository, { ancestor: base, of: actual }))) return actual;
  throw refused(
    order,
    `cannot have the branch ${branch}, which is at ${actual} and does not contain ${base}`,
    {
      actual,
    },
  );
}

/** Where it is: at the start, unless somebody was faster. */
async function beginBranch(git: Git, { repository, branch }: WorktreeOrder, start: string): Promise<string> {
  const result = await moveRef(git, repository, { ref: branch, to: start, from: undefined });
  return result.type === 'conflict' ? (result.actual ?? start) : start;
}

async function register(git: Git, order: WorktreeOrder): Promise<WorktreePlace> {
  const branch = order.branch.replace(/^refs\/heads\//, '');
  const args = ['add', '--quiet', '--no-checkout', order.path, branch];
  await runOnRecords(git, order.repository, { args, effect: 'worktree-registered' });
  const link = await readLink(order.path);
  if (link.type !== 'linked') throw refused(order, 'was made by git, but is no worktree');
  return { path: order.path, gitDir: link.gitDir, commonDir: order.repository.commonDir };
}

async function finish(
  git: Git,
  order: WorktreeOrder,
  { place, isNew, head: placed }: { place: WorktreePlace; isNew: boolean; head?: string },
): Promise<AddedWorktree> {
  const marker = (await tidyRecord(place.gitDir)) ?? (await freshMarker(git, order));
  if (!marker.isReady) {
    await writeMarker(git, place.gitDir, marker);
    await releaseIndex(git, place);
    await (order.fill?.(place) ?? fill(git, place));
    await writeMarker(git, place.gitDir, { ...marker, isReady: true });
  }
  const head = order.fill === undefined && placed !== undefined ? placed : await readHead(git, place);
  if (head === undefined) throw refused(order, 'has no commit at its HEAD');
  return Object.freeze({ ...place, head, isNew });
}

/** As of now: what is in the stash and where the branches are is not the doing of whoever works in it. */
export async function freshMarker(git: Git, order: WorktreeOrder): Promise<Marker> {
  const { run, task, token, branch, base, notes } = order;
  const refs = order.refs ?? (await listRefs(git, order.repository));
  const stashes = refs.has('refs/stash') ? await listStashes(git, order.repository) : [];
  const foreign = Object.fromEntries([...refs].filter(([ref]) => !isOwnRef(ref)));
  return { run, task, token, branch, base, stashes, refs: foreign, ...notes, isReady: false };
}

/** What a killed git of ours has left would keep any other from its work. */
export async function releaseIndex(git: Git, place: WorktreePlace): Promise<void> {
  for (const lock of ['index.lock', 'HEAD.lock']) {
    await releaseLock(git, join(place.gitDir, lock), [place.path, place.gitDir]);
  }
}

/** Nobody has worked here yet, so whatever a killed checkout has left may be overwritten. */
async function fill(git: Git, place: WorktreePlace): Promise<void> {
  const tree = await readHeadTree(git, place);
  await checkOut(git, place, { tree: 'HEAD', effect: 'worktree-checked-out' });
  if (tree !== undefined && tree === (await readHeadTree(git, place))) await noteIndex(git, place, tree);
}

function refused(order: WorktreeOrder, why: string, details: Record<string, unknown> = {}): PitonError {
  return new PitonError('WORKTREE_REFUSED', `${order.path} ${why}.`, {
    ...details,
    path: order.path,
    run: order.run,
    task: order.task,
    remedy: 'Look at it, move away what is worth keeping, then try again.',
  });
}
