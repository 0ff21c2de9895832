import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crashPoint, randomId } from '../../base/index.ts';
import type { CleanupPolicy } from '../../model/index.ts';
import type { Cleaned } from '../contract.ts';
import type { CleanRequest } from '../upkeep-contract.ts';
import {
  archiveRef,
  archivesOf,
  listArchived,
  readRefs,
  removeWorktree,
  runBranch,
  writeMarker,
  type WorktreePlace,
} from '../git/index.ts';
import { whyKept } from '../why-kept.ts';
import { keepAll } from './keep-all.ts';
import type { WorktreeOptions } from './options.ts';
import { isInSlot } from './slots.ts';
import { isOurs, lookAtPath, refsOf, type Standing, type WorktreeRequest } from './standing.ts';
import { tidyRefs } from './tidy-refs.ts';
import { findUnkept } from './unkept.ts';

type Order = CleanRequest & WorktreeRequest & { readonly policy: CleanupPolicy };

/** Removes the place, but keeps all that would be lost by that; what cannot be kept keeps it from being removed. */
export async function cleanPlace(options: WorktreeOptions, order: Order): Promise<Cleaned> {
  const { policy, hasSucceeded, known } = order;
  const reason = whyKept(policy, hasSucceeded);
  if (reason !== undefined) return { how: 'kept', reason };
  const standing = await lookAtPath(order.repository, known.path);
  if (isInSlot(order, standing) && !isOurs(order, known.token, standing.marker))
    return handedOn(options, order);
  const isThere = standing.worktree !== undefined && isOurs(order, known.token, standing.marker);
  const cleaned = isThere ? await remove(options, order, standing) : await finishRemoval(options, order);
  // Another driver may have made it again by now.
  const isGone = (await lookAtPath(order.repository, known.path)).link.type === 'absent';
  if (cleaned.how !== 'kept' && isGone) await tidyUp(options, order);
  return cleaned;
}

/** Another task has the slot by now; what this one had left there was kept when it was taken over. */
async function handedOn({ git }: WorktreeOptions, order: Order): Promise<Cleaned> {
  const archive = await archiveOf(git, order);
  if (archive !== undefined)
    return { how: 'archived', reason: 'its slot was taken by another task', ref: archive };
  return { how: 'removed', reason: 'its slot was taken by another task' };
}

async function archiveOf(git: WorktreeOptions['git'], { run, task, repository, known }: Order) {
  const archives = await listArchived(git, repository, archivesOf(run, task));
  return archives.findLast(({ attempt }) => attempt === known.token)?.ref;
}

/** Killed in the middle of it, a removal may have left a rest. */
async function finishRemoval({ git }: WorktreeOptions, order: Order): Promise<Cleaned> {
  const { run, task, repository, known, at } = order;
  const { path, token } = known;
  const removal = await removeWorktree(git, { run, task, token, path, repository });
  if (removal.type === 'refused') return { how: 'kept', reason: removal.why };
  const archive = await archiveOf(git, order);
  // That of a slot was made when another task took it.
  const isOfThis = order.slot !== undefined || archive === archiveRef(run, task, at);
  if (archive === undefined || !isOfThis) return { how: 'removed', reason: 'it was gone already' };
  return { how: 'archived', reason: 'it was archived, and is gone', ref: archive };
}

async function remove(options: WorktreeOptions, order: Order, standing: Standing): Promise<Cleaned> {
  const { git } = options;
  const { run, task, known, repository } = order;
  const leaving = await beginRemoval(git, standing);
  const cleaned = standing.marker?.isReady === true ? await keep(options, order, standing) : untouched;
  if (cleaned.how === 'kept') return cleaned;
  const { path, token } = known;
  const removal = await removeWorktree(git, { run, task, token, path, repository, leaving });
  if (removal.type === 'refused') return { ...cleaned, how: 'kept', reason: removal.why };
  crashPoint('after:workspace.removed');
  return cleaned;
}

/** From before it is looked at: what is done there later is not looked at any more. */
async function beginRemoval(git: WorktreeOptions['git'], { marker, worktree }: Standing): Promise<string> {
  const leaving = randomId();
  await writeMarker(git, worktree!.gitDir, { ...marker!, leaving });
  return leaving;
}

const untouched: Cleaned = { how: 'removed', reason: 'nothing was done in it' };

/** What becomes of the place, when all that would be lost with it is kept. */
async function keep(options: WorktreeOptions, order: Order, standing: Standing): Promise<Cleaned> {
  const { policy, hasSucceeded, run, repository } = order;
  const worktree = standing.worktree!;
  const { branch, saved } = refsOf(order);
  const refs = await readRefs(options.git, repository, [branch, saved, runBranch(run), 'refs/stash']);
  const keeping = { order, standing, worktree, refs };
  if (policy === 'archive' || (policy === 'archive-on-failure' && !hasSucceeded))
    return archive(options, keeping, `cleanup is ${policy}`);
  const unkept = await findLost(options, keeping);
  if (unkept === undefined) return { how: 'removed', reason: 'all that was in it is in git' };
  return archive(options, keeping, `it held ${unkept}`);
}

interface Keeping {
  readonly order: Order;
  readonly standing: Standing;
  readonly worktree: WorktreePlace;
  readonly refs: ReadonlyMap<string, string>;
}

/** Its commits stay on its branch, as long as nothing else holds them. */
async function findLost(
  { git, caches, filling }: WorktreeOptions,
  { order, standing, worktree, refs }: Keeping,
): Promise<string | undefined> {
  const tips = [refsOf(order).branch, runBranch(order.run)].map((ref) => refs.get(ref));
  const holders = new Set([...tips, order.known.base, order.result].filter((commit) => commit !== undefined));
  return findUnkept(git, {
    worktree,
    marker: standing.marker,
    holders: [...holders],
    hasStash: refs.has('refs/stash'),
    caches,
    isIgnoredLeft: false,
    isElsewhere: (path) => filling.isBrought(order, worktree.path, path),
  });
}

async function archive(
  { git, caches, filling }: WorktreeOptions,
  { order, worktree, refs }: Keeping,
  reason: string,
): Promise<Cleaned> {
  const { run, task, known, at } = order;
  const saved = refs.get(refsOf(order).saved);
  const { archive: made, missing } = await keepAll(git, {
    worktree,
    trailers: { run, task, attempt: known.token, seq: 0 },
    at,
    caches,
    also: saved === undefined ? [] : [saved],
    // Else a password that was copied into the worktree would be in the repository from then on.
    isElsewhere: (path) => filling.isBrought(order, worktree.path, path),
  });
  const { ref } = made;
  if (missing !== undefined) return { how: 'kept', reason: `not all of it could be kept: ${missing}`, ref };
  return { how: 'archived', reason, ref };
}

async function tidyUp({ git, filling }: WorktreeOptions, order: Order): Promise<void> {
  const { run, task, repository, known } = order;
  const { branch } = refsOf(order);
  await tidyRefs(git, { run, task, branch, repository, worktree: known.path });
  await filling.release(known);
  // The last one closes the door; fails, as it should, while others are there.
  await rmdir(dirname(known.path)).catch(() => undefined);
}
