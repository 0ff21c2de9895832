import { mkdir, rename } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import {
  deleteTree,
  effect,
  isInside,
  isPlainObject,
  makePrivateFolder,
  PitonError,
} from '../../base/index.ts';
import type { KeptArchive } from '../upkeep-contract.ts';
import { copyTree, findEntry, namesIn, writeWhole, type Durability } from '../files.ts';
import { archiveStamp, encodeName } from '../git/index.ts';
import { isMarkerName, markerOf, readJson } from './marker.ts';

/** A folder as it was, set aside. */
export interface ArchivedFolder extends KeptArchive {
  readonly token: string;
  /** What a person wanted done with the place, so that this was set aside: it is not what is meant by "as it was". */
  readonly order?: string;
}

export interface Archiving extends Omit<ArchivedFolder, 'ref'> {
  readonly path: string;
}

export interface ArchiveTools {
  /** Where they are kept: `<run>/<task>/<time>`, with a mark beside each. */
  readonly archive: string;
  readonly durability: Durability;
  /** Folders that can be made again and need not be kept, by name. */
  readonly caches: readonly string[];
}

/** By renaming, which keeps everything but caches. Gives its new path. The mark at the old one stays. */
export async function archiveFolder(tools: ArchiveTools, archiving: Archiving): Promise<string> {
  const { path, ...facts } = archiving;
  const ref = await freePlace(tools, facts);
  makePrivateFolder(tools.archive);
  await mkdir(dirname(ref), { recursive: true });
  await writeWhole(markerOf(ref), `${JSON.stringify(facts, null, 2)}\n`, tools.durability);
  await effect('directory.archived', () => rename(path, ref));
  await dropCaches(ref, tools.caches);
  return ref;
}

async function dropCaches(path: string, caches: readonly string[]): Promise<void> {
  if ((await findEntry(path))?.isDirectory() !== true) return;
  for (const name of await namesIn(path)) {
    if (caches.includes(name)) await deleteTree(join(path, name));
    else await dropCaches(join(path, name), caches);
  }
}

async function freePlace(
  { archive }: ArchiveTools,
  { run, task, at }: Omit<Archiving, 'path'>,
): Promise<string> {
  const first = join(archive, encodeName(run), encodeName(task), archiveStamp(at));
  let path = first;
  for (let count = 2; (await findEntry(path)) !== undefined; count++) path = `${first}-${count}`;
  return path;
}

/** All that are kept, of one run after the other, the oldest of a task first. */
export async function listArchives({ archive }: Pick<ArchiveTools, 'archive'>): Promise<ArchivedFolder[]> {
  const archives: ArchivedFolder[] = [];
  for (const run of await namesIn(archive)) {
    for (const task of await namesIn(join(archive, run))) {
      archives.push(...(await archivesIn(join(archive, run, task))));
    }
  }
  return archives;
}

export async function archivesOf(
  { archive }: Pick<ArchiveTools, 'archive'>,
  { run, task }: { readonly run: string; readonly task: string },
): Promise<ArchivedFolder[]> {
  return archivesIn(join(archive, encodeName(run), encodeName(task)));
}

async function archivesIn(folder: string): Promise<ArchivedFolder[]> {
  const found: ArchivedFolder[] = [];
  for (const name of await namesIn(folder)) {
    if (isMarkerName(name)) continue;
    const facts = await readFacts(join(folder, name));
    if (facts !== undefined) found.push(facts);
  }
  return found.sort((one, other) => one.at - other.at);
}

async function readFacts(ref: string): Promise<ArchivedFolder | undefined> {
  const read = await readJson(markerOf(ref));
  if (!isPlainObject(read)) return undefined;
  const { run, task, token, at } = read;
  const isWhole = [run, task, token].every((text) => typeof text === 'string') && typeof at === 'number';
  return isWhole ? Object.freeze({ ...(read as unknown as ArchivedFolder), ref }) : undefined;
}

/** Lays it out once more, in a folder that is not there yet; the archive stays. */
export async function restoreFolder(tools: ArchiveTools, ref: string, folder: string): Promise<void> {
  await assertArchive(tools, ref);
  if ((await findEntry(folder)) !== undefined) throw isThere(folder);
  const draft = `${folder}.restored`;
  await mkdir(dirname(folder), { recursive: true });
  await deleteTree(draft);
  await copyTree(ref, draft, tools);
  await effect('directory.restored', () => rename(draft, folder));
}

export async function assertArchive({ archive }: Pick<ArchiveTools, 'archive'>, ref: string): Promise<void> {
  const isOurs = isInside(relative(archive, ref)) && (await readFacts(ref)) !== undefined;
  if (isOurs && (await findEntry(ref)) !== undefined) return;
  throw new PitonError('ARCHIVE_UNREADABLE', `There is no archive ${ref}.`, {
    ref,
    remedy: 'See those that are there with `piton workspace list`.',
  });
}

function isThere(folder: string): PitonError {
  return new PitonError('WORKTREE_REFUSED', `${folder} is there already.`, {
    path: folder,
    remedy: 'Name a folder that is not there yet.',
  });
}
