import type { Cleaned } from '../contract.ts';
import {
  freshMarker,
  keepReachable,
  removeRecord,
  savedRef,
  writeMarker,
  type Git,
  type MarkerNotes,
  type WorktreePlace,
} from '../git/index.ts';
import { beginToLeave, cannotLeave, keepAll } from './keep-all.ts';
import { handOver, make, type Former, type Placed } from './make.ts';
import { newsIn } from './news.ts';
import type { WorktreeOptions } from './options.ts';
import type { Sight } from './sight.ts';
import { findSource, sourceOfBranch } from './sources.ts';
import { isOurs, slotOf, type Standing, type WorktreeRequest } from './standing.ts';
import { findUnkept } from './unkept.ts';

/** Whether the slot was last used by another task of the same pool. */
export function isAnothersSlot({ request, place, standing }: Sight): boolean {
  return isInSlot(request, standing) && !isOurs(request, place.token, standing.marker);
}

export function isInSlot(request: WorktreeRequest, { worktree, marker, link }: Standing): boolean {
  const slot = slotOf(request);
  const isThere = worktree !== undefined || link.type === 'absent';
  return slot !== undefined && isThere && marker?.slot === slot && marker.run === request.run;
}

/** All that the former task has left beyond its result is kept; what git ignores stays: it is what the setup has made. */
export async function takeSlot(options: WorktreeOptions, sight: Sight): Promise<Placed> {
  const { git } = options;
  const { request, place, refs } = sight;
  const { path, worktree } = sight.standing;
  const order = { request, refs, base: place.base };
  const source = request.known === undefined ? sourceOfBranch(order) : await findSource(git, order);
  const taken = { ...sight, place: { ...place, path } };
  const recovered = isUnequipped(sight)
    ? { found: 'it was gone', how: source.how, from: source.from }
    : undefined;
  if (worktree === undefined) {
    const former = await forgetFormer(git, sight);
    return make(git, taken, { source, former, ...(recovered !== undefined && { recovered }) });
  }
  const former = await keepFormer(options, sight, worktree);
  await takeOver(git, sight, { worktree, notes: handOver(former, recovered) });
  return make(git, taken, { source });
}

/** Its setup is gone with it, or with what was there before its work was brought in, and nobody knows of that yet. */
function isUnequipped({ request, standing: { worktree, marker } }: Sight): boolean {
  const isMadeAgain = worktree === undefined || newsIn(marker).recovered !== undefined;
  return request.isEquipped === true && isMadeAgain;
}

/** Its folder was deleted: what was saved of it, and committed, is all there is. */
async function forgetFormer(git: Git, { request, standing }: Sight): Promise<Former> {
  const { entry, marker, path } = standing;
  const { task, branch } = marker!;
  const { repository } = request;
  const place = { path, gitDir: entry!.gitDir!, commonDir: repository.commonDir };
  await keepReachable(git, place, marker!);
  await removeRecord(git, repository, path);
  return { task, branch, cleaned: { how: 'removed', reason: 'its folder was gone' } };
}

const untouched: Cleaned = { how: 'removed', reason: 'nothing was done in it' };

async function keepFormer(options: WorktreeOptions, sight: Sight, worktree: WorktreePlace): Promise<Former> {
  const { task, branch, isReady } = sight.standing.marker!;
  // A slot that was never ready was taken by somebody who has not begun to work.
  return { task, branch, cleaned: isReady ? await keepWork(options, sight, worktree) : untouched };
}

async function keepWork(
  { git, caches }: WorktreeOptions,
  { refs, head, standing }: Sight,
  worktree: WorktreePlace,
): Promise<Cleaned> {
  const { run, task, branch, base, token } = standing.marker!;
  const holders = [base, head, refs.get(branch)].filter((commit) => commit !== undefined);
  const hasStash = refs.has('refs/stash');
  const holding = { worktree, marker: standing.marker, holders, hasStash, caches };
  const unkept = await findUnkept(git, { ...holding, isIgnoredLeft: true });
  if (unkept === undefined) return { how: 'removed', reason: 'all that was in it is in git' };
  const saved = refs.get(savedRef(branch));
  const { archive, missing } = await keepAll(git, {
    worktree,
    trailers: { run, task, attempt: token, seq: 0 },
    at: await beginToLeave(git, worktree),
    caches,
    includeIgnored: false,
    ...(saved !== undefined && { also: [saved] }),
  });
  if (missing !== undefined)
    throw cannotLeave(worktree.path, `not all that ${task} has left there could be kept: ${missing}`);
  return { how: 'archived', reason: `it held ${unkept}`, ref: archive.ref };
}

/** From here on it is the new owner's, though not yet ready. */
async function takeOver(
  git: Git,
  { request, place, refs }: Sight,
  { notes: handed, worktree }: { readonly notes: MarkerNotes; readonly worktree: WorktreePlace },
): Promise<void> {
  const { run, task, repository } = request;
  const notes = { slot: slotOf(request)!, ...handed };
  const marker = await freshMarker(git, { ...place, run, task, repository, refs, notes });
  await writeMarker(git, worktree.gitDir, marker);
}
