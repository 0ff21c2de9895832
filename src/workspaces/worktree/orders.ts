import { rename } from 'node:fs/promises';
import { effect, PitonError } from '../../base/index.ts';
import type { Recovery } from '../contract.ts';
import {
  isBeingRemoved,
  keepCommit,
  listArchived,
  moveRef,
  tidyRecord,
  readRef,
  readSaved,
  removeWorktree,
  savedRef,
  type Git,
  type WorktreePlace,
} from '../git/index.ts';
import { markAsOurs } from './adopt.ts';
import { beginToLeave, cannotLeave, keepAll } from './keep-all.ts';
import { make, type Placed } from './make.ts';
import type { WorktreeOptions } from './options.ts';
import type { Sight } from './sight.ts';
import { sourceOfArchive, sourceOfBranch, sourceOfSaved, type Source } from './sources.ts';
import { isOurs } from './standing.ts';

/** Whether a person wants something done with the place that was not done yet. */
export function isOrdered({ request, place, standing: { marker } }: Sight): boolean {
  const { order } = request;
  if (order === undefined) return false;
  const isDone = marker?.isReady === true && marker.orders?.includes(order.id) === true;
  return !isDone || !isOurs(request, place.token, marker);
}

/** What is there is archived, and the place is made as the person wants it. */
export async function carryOut(options: WorktreeOptions, sight: Sight): Promise<Placed> {
  const { id, action } = sight.request.order!;
  const { marker, path } = sight.standing;
  const { cleared, source, kept } = await clear(options, sight);
  const found = `a person wanted it so${kept === undefined ? '' : `; what was there is kept as ${kept}`}`;
  const recovered: Recovery = { found, how: results[action], from: source.from };
  const orders = [...new Set([...(marker?.orders ?? []), id])];
  return make(options.git, { ...cleared, place: { ...cleared.place, path } }, { source, recovered, orders });
}

interface Cleared {
  readonly cleared: Sight;
  readonly source: Source;
  /** Where what was there is to be found now. */
  readonly kept: string | undefined;
}

async function clear(options: WorktreeOptions, sight: Sight): Promise<Cleared> {
  const { git } = options;
  const { id, action } = sight.request.order!;
  const { marker } = sight.standing;
  // Killed while it was made: nobody has worked in it, and what was there before is archived.
  const isBegun = marker?.isReady === false && marker.orders?.includes(id) === true;
  // What cannot be had must not cost what is there.
  const early = action === 'discard' ? undefined : await sourceFor(git, sight);
  const kept = isBegun ? undefined : await makeRoom(options, sight);
  const cleared = action === 'discard' && !isBegun ? await beginAnew(git, sight) : sight;
  return { cleared, source: early ?? (await sourceFor(git, cleared)), kept };
}

const results = { recreate: 'recreated', restore: 'restored', discard: 'discarded' } as const;

async function makeRoom(options: WorktreeOptions, sight: Sight): Promise<string | undefined> {
  const { git } = options;
  const { request, place, standing } = sight;
  const { worktree, link, path } = standing;
  if (isInTheMaking(sight)) return undefined;
  if (worktree !== undefined) return archiveAway(options, sight, worktree);
  const { run, task, repository } = request;
  if (await isBeingRemoved(place)) {
    await removeWorktree(git, { run, task, token: place.token, path, repository });
    return undefined;
  }
  if (link.type === 'absent' || (link.type === 'unlinked' && link.isEmpty)) return undefined;
  return setAside(path, request.order!.id);
}

/** Killed before it was ready: nobody has worked in it. */
function isInTheMaking({ request, place, standing: { link, marker } }: Sight): boolean {
  if (link.type !== 'linked') return false;
  return marker === undefined ? link.isBare : !marker.isReady && isOurs(request, place.token, marker);
}

/** What is no worktree of ours cannot be archived, but moved out of the way as it is. */
async function setAside(path: string, id: string): Promise<string> {
  const aside = `${path}.set-aside-${id}`;
  await effect('workspace.set-aside', () => rename(path, aside));
  return aside;
}

async function archiveAway(
  { git, caches, filling }: WorktreeOptions,
  sight: Sight,
  worktree: WorktreePlace,
): Promise<string> {
  const { request, place, refs } = sight;
  const { run, task, repository, order } = request;
  if (!isOurs(request, place.token, await tidyRecord(worktree.gitDir)))
    await markAsOurs(git, sight, worktree);
  const { archive, missing } = await keepAll(git, {
    worktree,
    // Not as the archive of this place: from that one, it would be made again.
    trailers: { run, task, attempt: `${place.token} ${order!.id}`, seq: 0 },
    at: await beginToLeave(git, worktree),
    caches,
    also: [place.branch, savedRef(place.branch)].flatMap((ref) => refs.get(ref) ?? []),
    isElsewhere: (path) => filling.isBrought(request, worktree.path, path),
  });
  if (missing !== undefined) throw cannotLeave(worktree.path, `not all of it could be kept: ${missing}`);
  const { path } = worktree;
  const removal = await removeWorktree(git, { run, task, token: place.token, path, repository });
  if (removal.type === 'refused') throw cannotLeave(path, removal.why);
  return archive.ref;
}

/** Its branch goes back to that of the run; where it was stays within reach. */
async function beginAnew(git: Git, sight: Sight): Promise<Sight> {
  const { request, place, head } = sight;
  const { repository } = request;
  const refs = new Map(sight.refs);
  const saved = savedRef(place.branch);
  for (const ref of [place.branch, saved]) {
    const commit = refs.get(ref);
    if (commit !== undefined && commit !== head) await keepCommit(git, repository, { ...request, commit });
  }
  await moveRef(git, repository, { ref: place.branch, to: head, from: refs.get(place.branch) });
  if (refs.has(saved)) await moveRef(git, repository, { ref: saved, to: undefined, from: refs.get(saved) });
  refs.set(place.branch, head);
  refs.delete(saved);
  return { ...sight, refs, place: { ...place, base: head } };
}

async function sourceFor(git: Git, sight: Sight): Promise<Source> {
  const { request, refs, place } = sight;
  const { action, from } = request.order!;
  const order = { request, refs, base: place.base };
  if (action !== 'restore') return sourceOfBranch(order);
  const { repository, snapshot } = request;
  const wanted = from ?? refs.get(savedRef(place.branch)) ?? snapshot;
  if (wanted === undefined) throw nothingSaved(sight, 'nothing was saved of it');
  const archives = from === undefined ? [] : await listArchived(git, repository);
  const archive = archives.find(({ ref, commit }) => ref === wanted || commit === wanted);
  if (archive !== undefined) return sourceOfArchive(git, order, archive);
  const commit = await readRef(git, repository, `${wanted}^{commit}`);
  const saved = commit === undefined ? undefined : await readSaved(git, repository, commit);
  if (saved === undefined) throw nothingSaved(sight, `there is no snapshot or archive ${wanted}`);
  return sourceOfSaved(git, order, saved);
}

function nothingSaved({ request: { task }, place: { path } }: Sight, why: string): PitonError {
  return new PitonError('WORKTREE_REFUSED', `The place of ${task} cannot be restored: ${why}.`, {
    path,
    remedy: '`piton workspace recreate` makes it again from what is committed on its branch.',
  });
}
