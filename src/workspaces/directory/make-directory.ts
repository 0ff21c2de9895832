import { mkdir, realpath, rename } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { deleteTree, effect, isInside, PitonError } from '../../base/index.ts';
import type { Place, PlaceRequest } from '../contract.ts';
import { copyTree, findEntry, makeAround, orSetupFailure, type Durability } from '../files.ts';
import { encodeName } from '../git/index.ts';
import { leftOutOf } from './left-out.ts';
import { identityOf, writeMarker, type Marker, type News } from './marker.ts';

/** A folder at the path of a place, where nothing is. */
export interface Making {
  readonly request: PlaceRequest;
  readonly place: Place;
  /** What it is a copy of; undefined: it is empty. */
  readonly source: Source | undefined;
  readonly orders: readonly string[];
  readonly news: News;
}

export interface Source {
  readonly path: string;
  readonly isArchive: boolean;
}

/** Made beside and moved: after a crash, half of a copy would be taken for all of it. */
export async function makeDirectory(making: Making, durability: Durability): Promise<void> {
  const { request, place, source, orders, news } = making;
  const draft = draftOf(place);
  await effect('directory.drafted', () =>
    orSetupFailure(place.path, async () => {
      await makeAround(place.path);
      await deleteTree(draft);
      if (source === undefined) return void (await mkdir(draft));
      const isLeftOut = source.isArchive ? () => false : await leftOutOf(source.path, place);
      await copyTree(source.path, draft, { durability, isLeftOut });
    }),
  );
  const { run, task } = request;
  const { path, token } = place;
  // Before it is moved: a folder without a mark is not ours.
  await writeMarker({ path, folder: draft, run, task, token, orders, news }, durability);
  await effect('directory.made', () => rename(draft, path));
}

/** Killed right before it was moved: the mark is that of the draft. Gives whether it was so. */
export async function finishMaking(place: Place, marker: Marker | undefined): Promise<boolean> {
  const draft = draftOf(place);
  if (marker?.token !== place.token || (await findEntry(draft)) === undefined) return false;
  if (marker.identity !== (await identityOf(draft))) return false;
  await effect('directory.made', () => rename(draft, place.path));
  return true;
}

function draftOf({ path, token }: Pick<Place, 'path' | 'token'>): string {
  return `${path}.draft-${encodeName(token)}`;
}

/** What a new place is a copy of, if it is one. Throws SETUP_FAILED. */
export async function sourceOf({ mode, folder }: PlaceRequest): Promise<Source | undefined> {
  if (mode.mode !== 'directory' || mode.copyOf === undefined) return undefined;
  const source = join(folder, mode.copyOf);
  const found = await realpath(source).catch(() => undefined);
  const isFolder = found !== undefined && (await findEntry(found))?.isDirectory() === true;
  if (!isFolder) throw refused(source, 'is not a folder');
  if (!isInside(relative(await realpath(folder), found)))
    throw refused(source, 'is not in the folder of the run');
  return { path: found, isArchive: false };
}

function refused(source: string, why: string): PitonError {
  return new PitonError('SETUP_FAILED', `A copy of ${source} is wanted, which ${why}.`, {
    source,
    remedy: 'Name a folder that is there, from the folder of the run, in `workspace: { copy: … }`.',
  });
}
