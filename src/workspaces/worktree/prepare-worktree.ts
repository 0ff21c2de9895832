import type { Place, Prepared } from '../contract.ts';
import { makeAround } from '../files.ts';
import { filled } from '../filled.ts';
import {
  headOfRun,
  listRefs,
  readHead,
  readRefs,
  runBranch,
  runTipRef,
  writeMarker,
  type Git,
  type Marker,
  type WorktreePlace,
} from '../git/index.ts';
import { adoptPlace } from './adopt.ts';
import { make, type Placed } from './make.ts';
import { newsIn } from './news.ts';
import type { WorktreeOptions } from './options.ts';
import { carryOut, isOrdered } from './orders.ts';
import { isAnothersSlot, takeSlot } from './slots.ts';
import type { Sight } from './sight.ts';
import { findSource, inheritedSource, sourceOfBranch } from './sources.ts';
import { isOurs, lookAtPath, pathOf, refsOf, type WorktreeRequest } from './standing.ts';

/** The place of a task as it should be, whatever is there. */
export async function preparePlace(options: WorktreeOptions, request: WorktreeRequest): Promise<Prepared> {
  const { place, news } = await placeFor(options, await lookAround(options, request));
  return { ...news, ...(await filled(options.filling, request, place)) };
}

async function placeFor(options: WorktreeOptions, sight: Sight): Promise<Placed> {
  if (isAnothersSlot(sight)) return takeAnothers(options, sight);
  if (isOrdered(sight)) return carryOut(options, sight);
  if (sight.request.isAdopted) await adoptPlace(options.git, sight);
  if (await isFound(options.git, sight)) return found(sight);
  return makeAgain(options.git, isReady(sight) ? await withAllRefs(options.git, sight) : sight);
}

/** What a person wants done with a place is done when the task has one again. */
async function takeAnothers(options: WorktreeOptions, sight: Sight): Promise<Placed> {
  const taken = await takeSlot(options, sight);
  if (sight.request.order === undefined) return taken;
  const { place, news } = await carryOut(options, await lookAround(options, sight.request));
  return { place, news: { ...taken.news, ...news } };
}

async function lookAround({ git, folder }: WorktreeOptions, request: WorktreeRequest): Promise<Sight> {
  const { run, task, repository, known, token, isAdopted, tip } = request;
  const { branch } = refsOf(request);
  // A task that is tried again may have been given another of the slots.
  const path = request.slot === undefined && known !== undefined ? known.path : pathOf(folder, request);
  const standing = await lookAtPath(repository, path);
  const seen = { ...named(known), path, branch, token: known?.token ?? token };
  // Of a place that is there, and that nobody wants changed, it is enough to know where its run is.
  const refs = isReady({ request, place: seen, standing })
    ? await readRefs(git, repository, [runBranch(run), runTipRef(run)])
    : await listRefs(git, repository);
  const head = await headOfRun(git, repository, { run, task, refs, tip, base: repository.base, isAdopted });
  // Not where the repository itself is gone, and its folder with it.
  await makeAround(path);
  return {
    request,
    place: { ...seen, base: known?.base ?? request.inheritedBase ?? head },
    refs,
    head,
    standing,
  };
}

type Seen = Pick<Sight, 'request' | 'standing'> & { readonly place: Pick<Place, 'token'> };

function isReady({ request, place, standing: { worktree, marker } }: Seen): boolean {
  if (request.order !== undefined || request.isAdopted) return false;
  return worktree !== undefined && marker?.isReady === true && isOurs(request, place.token, marker);
}

async function withAllRefs(git: Git, sight: Sight): Promise<Sight> {
  return { ...sight, refs: await listRefs(git, sight.request.repository) };
}

/** What is recorded besides may be of another time: its ports are asked for again. */
function named(known: Place | undefined): Pick<Place, 'kind'> {
  return known?.kind === undefined ? {} : { kind: known.kind };
}

async function isFound(git: Git, { request, place, standing }: Sight): Promise<boolean> {
  const { marker, worktree } = standing;
  if (worktree === undefined || marker?.isReady !== true || !isOurs(request, place.token, marker))
    return false;
  await takeBack(git, worktree, marker);
  return (await readHead(git, worktree)) !== undefined;
}

/** Whoever has begun to remove it, and is not done, is not to go on. */
async function takeBack(git: Git, { gitDir }: WorktreePlace, marker: Marker): Promise<void> {
  const { leaving, ...staying } = marker;
  if (leaving !== undefined) await writeMarker(git, gitDir, staying);
}

function found({ place, standing: { path, marker } }: Sight): Placed {
  return { place: { ...place, path, base: marker!.base }, news: newsIn(marker) };
}

async function makeAgain(git: Git, sight: Sight): Promise<Placed> {
  const { request, place, refs } = sight;
  const order = { request, refs, base: place.base };
  const inherited = await inheritedSource(git, order);
  if (inherited !== undefined) return make(git, sight, { source: inherited });
  if (request.known === undefined && request.isEquipped !== true)
    return make(git, sight, { source: sourceOfBranch(order) });
  const source = request.known === undefined ? sourceOfBranch(order) : await findSource(git, order);
  const recovered = { found: 'it was gone', how: source.how, from: source.from } as const;
  return make(git, sight, { source, recovered });
}
