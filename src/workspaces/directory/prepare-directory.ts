import { PitonError, systemClock } from '../../base/index.ts';
import type { Cleaned, Place, PlaceOrder, PlaceRequest, Recovery } from '../contract.ts';
import { archiveFolder, archivesOf, assertArchive } from './archive.ts';
import { removeOrArchive, type CleanTools } from './clean-directory.ts';
import { finishMaking, makeDirectory, sourceOf, type Source } from './make-directory.ts';
import { writeMarker, type Marker, type News } from './marker.ts';
import { standingOf, type Standing } from './standing.ts';

export interface Preparing {
  readonly request: PlaceRequest;
  readonly place: Place;
}

/** Has a folder of the task at its path, and says what had to be done for it. */
export async function prepareDirectory(tools: CleanTools, preparing: Preparing): Promise<News> {
  const standing = await standingOf(preparing.place);
  if (standing.type === 'other') return takeOver(tools, preparing, standing);
  const order = dueOrder(preparing, standing);
  if (order !== undefined) return carryOut(tools, preparing, { standing, order });
  if (standing.type === 'foreign') return adopt(tools, preparing, standing);
  if (standing.type === 'ours') return untoldNews(preparing, standing.marker);
  return makeMissing(tools, preparing, standing);
}

/** A slot that was taken over was not known before: if it is now, its news were recorded with it. */
function untoldNews({ request }: Preparing, { news }: Marker): News {
  return news.handedOver !== undefined && request.known !== undefined ? {} : news;
}

/** Each is carried out once: the mark says which were. Who takes the place as it is wants nothing done to it. */
function dueOrder({ request, place }: Preparing, standing: Standing): PlaceOrder | undefined {
  const { order, isAdopted } = request;
  const isDone = order === undefined || ordersDone(place, standing).includes(order.id);
  return isDone || isAdopted ? undefined : order;
}

function ordersDone({ token }: Place, standing: Standing): readonly string[] {
  if (standing.type === 'foreign' || standing.marker?.token !== token) return [];
  return standing.marker.orders;
}

async function adopt(
  { durability }: CleanTools,
  { request, place: { path, token } }: Preparing,
  standing: Extract<Standing, { type: 'foreign' }>,
): Promise<News> {
  if (!request.isAdopted || !standing.isFolder) throw notOurs(request, path, standing.why);
  const { run, task } = request;
  await writeMarker({ path, folder: path, run, task, token, orders: [], news: {} }, durability);
  return {};
}

/**
 * Of a slot. All of it is archived, and the folder is made anew: without git, nobody can tell what was made by the setup and
 * what by the task, so the setup is done again (which `recovered` says).
 */
async function takeOver(
  tools: CleanTools,
  preparing: Preparing,
  { marker, why }: Extract<Standing, { type: 'other' }>,
): Promise<News> {
  const { request, place } = preparing;
  if (request.slot === undefined) throw notOurs(request, place.path, why);
  const { run, task, token } = marker;
  const taken = { run, task, token, path: place.path, at: systemClock.now() };
  return succeed(tools, preparing, { task, cleaned: await removeOrArchive(tools, request, taken) });
}

async function succeed(
  tools: CleanTools,
  { request, place }: Preparing,
  handedOver: { readonly task: string; readonly cleaned: Cleaned },
): Promise<News> {
  const found = `${handedOver.task} had it before`;
  const news: News = { handedOver, recovered: { found, how: 'recreated' } };
  const source = await sourceOf(request);
  await makeDirectory({ request, place, source, orders: [], news }, tools.durability);
  return news;
}

interface Due {
  readonly standing: Exclude<Standing, { type: 'other' }>;
  readonly order: PlaceOrder;
}

async function carryOut(
  tools: CleanTools,
  { request, place }: Preparing,
  { standing, order }: Due,
): Promise<News> {
  const { run, task } = request;
  const { path, token } = place;
  const source = await orderedSource(tools, request, order);
  const taken = { run, task, path, token, at: systemClock.now(), order: order.id };
  if (standing.type === 'ours') await removeOrArchive(tools, request, taken);
  // Whatever it is, somebody has put it there.
  if (standing.type === 'foreign') await archiveFolder(tools, taken);
  const orders = [...ordersDone(place, standing), order.id];
  const found = `a person wanted it so (${order.action})`;
  const news = { recovered: recovery(found, hows[order.action], source) };
  await makeDirectory({ request, place, source, orders, news }, tools.durability);
  return news;
}

const hows = { recreate: 'recreated', restore: 'restored', discard: 'discarded' } as const;

async function orderedSource(
  tools: CleanTools,
  request: PlaceRequest,
  { action, from }: PlaceOrder,
): Promise<Source | undefined> {
  if (action !== 'restore') return sourceOf(request);
  if (from !== undefined) {
    await assertArchive(tools, from);
    return { path: from, isArchive: true };
  }
  const last = await lastArchive(tools, request);
  if (last !== undefined) return last;
  const { path } = request.known ?? {};
  throw new PitonError(
    'WORKSPACE_DRIFTED',
    `Nothing was kept that the place of ${request.task} could be made from.`,
    {
      path,
      remedy:
        'Have it made again with `piton workspace recreate`, or take it as it is with `piton workspace adopt`.',
    },
  );
}

/** Without those that were set aside because a person wanted another. */
async function lastArchive(
  tools: CleanTools,
  { run, task, known }: PlaceRequest,
): Promise<Source | undefined> {
  const archives = await archivesOf(tools, { run, task });
  const own = archives.filter(({ token, order }) => token === known?.token && order === undefined);
  const last = own.at(-1);
  return last === undefined ? undefined : { path: last.ref, isArchive: true };
}

async function makeMissing(
  tools: CleanTools,
  preparing: Preparing,
  standing: Extract<Standing, { type: 'absent' }>,
): Promise<News> {
  const { request, place } = preparing;
  const { marker } = standing;
  if (await finishMaking(place, marker)) return marker?.news ?? {};
  if (isFormer(marker, preparing)) {
    return succeed(tools, preparing, { task: marker.task, cleaned: await becameOf(tools, marker) });
  }
  const archive = await lastArchive(tools, request);
  const source = archive ?? (await sourceOf(request));
  const how = archive === undefined ? 'recreated' : 'restored';
  const news = request.known === undefined ? {} : { recovered: recovery('it was gone', how, source) };
  const orders = ordersDone(place, standing);
  await makeDirectory({ request, place, source, orders, news }, tools.durability);
  return news;
}

/** Killed in the middle of taking a slot over: what was there is archived or removed already. */
function isFormer(marker: Marker | undefined, { request, place }: Preparing): marker is Marker {
  return request.slot !== undefined && marker !== undefined && marker.token !== place.token;
}

async function becameOf(tools: CleanTools, { run, task, token }: Marker): Promise<Cleaned> {
  const archives = await archivesOf(tools, { run, task });
  const kept = archives.findLast((archive) => archive.token === token);
  if (kept === undefined) return { how: 'removed', reason: 'it was gone already' };
  return { how: 'archived', reason: 'another task took its slot', ref: kept.ref };
}

function recovery(found: string, how: Recovery['how'], source: Source | undefined): Recovery {
  return { found, how, ...(source?.isArchive === true && { from: source.path }) };
}

function notOurs({ task, known }: PlaceRequest, path: string, why: string): PitonError {
  const code = known === undefined ? 'WORKTREE_REFUSED' : 'WORKSPACE_DRIFTED';
  return new PitonError(code, `The place of ${task}, ${path}, ${why}.`, {
    path,
    remedy:
      'Look at it; then take it as it is with `piton workspace adopt`, or move it away and `piton retry`.',
  });
}
