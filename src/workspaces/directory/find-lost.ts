import { basename, join } from 'node:path';
import { someNames } from '../../base/index.ts';
import type { Filling, PlaceRequest } from '../contract.ts';
import { findEntry, isSameFile, waysIn } from '../files.ts';
import { sourceOf } from './make-directory.ts';

export interface Search {
  readonly filling: Filling;
  /** Folders that can be made again and need not be kept, by name. */
  readonly caches: readonly string[];
  readonly request: PlaceRequest;
  readonly path: string;
  /** Files of one size and time are taken for the same: good enough to be shown, not to remove anything. */
  readonly isQuick: boolean;
}

/** Ways from the folder to all that is nowhere else: neither brought, nor as in the folder it is a copy of. */
export async function findLost({ filling, caches, request, path, isQuick }: Search): Promise<string[]> {
  // If that is gone, the copy may be the last there is.
  const source = await sourceOf(request).catch(() => undefined);
  const lost: string[] = [];
  for (const way of await waysIn(path, (inner) => caches.includes(basename(inner)))) {
    const isCopy = source !== undefined && (await isSame(join(source.path, way), join(path, way), isQuick));
    if (!isCopy && !(await filling.isBrought(request, path, way))) lost.push(way);
  }
  return lost;
}

async function isSame(source: string, copy: string, isQuick: boolean): Promise<boolean> {
  if (copy.endsWith('/')) return (await findEntry(source.slice(0, -1)))?.isDirectory() === true;
  return (isQuick && (await looksSame(source, copy))) || isSameFile(copy, source);
}

async function looksSame(source: string, copy: string): Promise<boolean> {
  const [one, other] = [await findEntry(source), await findEntry(copy)];
  if (one?.isFile() !== true || other?.isFile() !== true) return false;
  return one.size === other.size && one.mtimeMs === other.mtimeMs;
}

/** What git has written for itself comes last. */
export function someOf(ways: readonly string[]): string {
  const [inside, files] = [ways.filter(isOfGit), ways.filter((way) => !isOfGit(way))];
  return someNames([...files, ...inside], 3);
}

function isOfGit(way: string): boolean {
  return way.startsWith('.git/') || way.includes('/.git/');
}
