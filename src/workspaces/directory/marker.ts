import { lstat, readFile, rm } from 'node:fs/promises';
import { effect, hasCode, isPlainObject, ownIdentity, type ProcessIdentity } from '../../base/index.ts';
import type { Place, Prepared } from '../contract.ts';
import { writeWhole, type Durability } from '../files.ts';

/** Whose a folder is. It lies beside the folder, so that it is in nobody's way. */
export interface Marker {
  readonly run: string;
  readonly task: string;
  readonly token: string;
  /** The folder itself: another one at the same path has another. */
  readonly identity: string;
  /** The process that made it: as long as that lives, the place may be on its way to the journal. */
  readonly maker: ProcessIdentity;
  /** What persons wanted done with it, and was done: their ids. */
  readonly orders: readonly string[];
  /** What `prepare` has to tell besides the place, until that is recorded: killed before, it has to tell it again. */
  readonly news: News;
}

export type News = Omit<Prepared, 'place'>;

const ending = '.piton.json';

export function markerOf(path: string): string {
  return `${path}${ending}`;
}

export function isMarkerName(name: string): boolean {
  return name.endsWith(ending);
}

/** Undefined: there is none, or none that can be read, which is never taken for ours. */
export async function readMarker(path: string): Promise<Marker | undefined> {
  return asMarker(await readJson(markerOf(path)));
}

function asMarker(read: unknown): Marker | undefined {
  if (!isPlainObject(read)) return undefined;
  const texts = [read['run'], read['task'], read['token'], read['identity']];
  if (!texts.every((text) => typeof text === 'string') || !Array.isArray(read['orders'])) return undefined;
  if (!isPlainObject(read['news'])) return undefined;
  return Object.freeze(read as unknown as Marker);
}

/** Undefined: it is not there, or is no JSON. */
export async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR') || error instanceof SyntaxError)
      return undefined;
    throw error;
  }
}

/** `folder`: where it is now, which may be a draft that is yet to be moved to `path`. */
export interface Marking extends Omit<Marker, 'identity' | 'maker'> {
  readonly path: string;
  readonly folder: string;
}

export async function writeMarker(
  { path, folder, ...owner }: Marking,
  durability: Durability,
): Promise<void> {
  const { run, task, token, orders, news } = owner;
  const identity = await identityOf(folder);
  const marker: Marker = { run, task, token, orders, news, identity, maker: ownIdentity() };
  await replaceMarker(path, marker, durability);
}

/** Something is started in the place, which nobody does before it is recorded. */
export async function hearNews({ path, token }: Place, durability: Durability): Promise<void> {
  const marker = await readMarker(path);
  if (marker?.token !== token || Object.keys(marker.news).length === 0) return;
  await replaceMarker(path, { ...marker, news: {} }, durability);
}

async function replaceMarker(path: string, marker: Marker, durability: Durability): Promise<void> {
  await effect('directory.marked', () =>
    writeWhole(markerOf(path), `${JSON.stringify(marker, null, 2)}\n`, durability),
  );
}

export async function removeMarker(path: string): Promise<void> {
  await rm(markerOf(path), { force: true });
}

/** Its number alone is soon given to another folder. */
export async function identityOf(folder: string): Promise<string> {
  const { ino, birthtimeNs } = await lstat(folder, { bigint: true });
  return `${ino}:${birthtimeNs}`;
}
