import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../base/index.ts';

/** So many folders are read at once: more would only wait for the disk, and take memory. */
const atOnce = 16;

/** What a folder takes of the disk; 0 if there is none. Links are not followed; what vanishes meanwhile is not counted. */
export async function folderBytes(folder: string): Promise<number> {
  let total = await bytesOf(folder);
  const folders = [folder];
  while (folders.length > 0) {
    const now = folders.splice(-atOnce);
    for (const { bytes, inner } of await Promise.all(now.map(readFolder))) {
      total += bytes;
      for (const one of inner) folders.push(one);
    }
  }
  return total;
}

interface Read {
  readonly bytes: number;
  readonly inner: readonly string[];
}

async function readFolder(folder: string): Promise<Read> {
  const entries = await unlessGone(readdir(folder, { withFileTypes: true }), []);
  let bytes = 0;
  for (const { name } of entries) bytes += await bytesOf(join(folder, name));
  return {
    bytes,
    inner: entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name)),
  };
}

const blockBytes = 512;

async function bytesOf(path: string): Promise<number> {
  const stat = await unlessGone(lstat(path), undefined);
  return stat === undefined ? 0 : stat.blocks * blockBytes;
}

/** Agents write while we count; and what may not be read cannot be counted. */
async function unlessGone<T, Else>(reading: Promise<T>, otherwise: Else): Promise<T | Else> {
  try {
    return await reading;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].some((code) => hasCode(error, code))) return otherwise;
    throw error;
  }
}
