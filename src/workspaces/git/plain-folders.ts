/** Folders as git's objects, file by file: whatever is in them, not even a repository, is more than data. */
import type { Dirent } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { hasCode } from '../../base/index.ts';
import { asText, type LeftOut } from './changed-paths.ts';
import type { Git } from './git.ts';
import { inRepository, type RepositoryPlace } from './places.ts';

/** One file, link or folder. Paths are as the file system has them, each character a byte. */
export interface PlainEntry {
  readonly path: string;
  readonly mode: number;
  /** Of a file: its object. */
  readonly blob?: string;
  readonly bytes?: number;
  /** Of a link: what it says. */
  readonly link?: string;
}

export interface PlainOrder {
  readonly folder: string;
  /** Folders that need not be kept, by name. */
  readonly caches: readonly string[];
}

export const listName = 'list.json';

/** A tree of all contents, by their names as objects, and a list that says where they belong. */
export async function writePlainFolder(
  git: Git,
  repository: RepositoryPlace,
  order: PlainOrder,
): Promise<{ readonly tree: string; readonly leftOut: readonly LeftOut[] }> {
  const { found, leftOut } = await listFolder(order);
  const files = found.filter(({ bytes }) => bytes !== undefined);
  const blobs = await writeBlobs(git, repository, { ...order, files });
  const entries = found.map((entry) => ({ ...entry, ...(blobs.has(entry) && { blob: blobs.get(entry)! }) }));
  const list = await writeText(git, repository, `${JSON.stringify(entries)}\n`);
  const names = [...new Set(blobs.values())].map((blob) => `100644 blob ${blob}\t${blob}`);
  const input = [`100644 blob ${list}\t${listName}`, ...names].map((line) => `${line}\n`).join('');
  const { stdout } = await git.run(['mktree'], { ...inRepository(repository), input });
  return { tree: stdout.trim(), leftOut };
}

async function listFolder({ folder, caches }: PlainOrder) {
  const found: PlainEntry[] = [];
  const leftOut: LeftOut[] = [];
  const visit = async (path: string): Promise<void> => {
    const entries = await entriesOf(bytesOf(`${asBytes(folder)}/${path}`));
    if (entries === undefined) return void leftOut.push({ path: asText(path), why: 'unreadable' });
    for (const entry of entries) {
      const inner = path === '' ? asLatin(entry) : `${path}/${asLatin(entry)}`;
      if (entry.isDirectory() && caches.includes(asText(asLatin(entry)))) continue;
      const one = await lookAt(`${asBytes(folder)}/${inner}`, inner);
      if (typeof one === 'string') leftOut.push({ path: asText(inner), why: one });
      else found.push(one);
      if (entry.isDirectory()) await visit(inner);
    }
  };
  await visit('');
  return { found, leftOut };
}

async function entriesOf(folder: Buffer): Promise<readonly Dirent<Buffer>[] | undefined> {
  try {
    const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' });
    return entries.sort((a, b) => Buffer.compare(a.name, b.name));
  } catch (error) {
    if (hasCode(error, 'EACCES')) return undefined;
    throw error;
  }
}

async function lookAt(file: string, path: string): Promise<PlainEntry | LeftOut['why']> {
  const found = await lstat(bytesOf(file));
  const mode = found.mode & 0o777;
  if (found.isDirectory()) return { path, mode };
  if (found.isSymbolicLink())
    return { path, mode, link: (await readlink(bytesOf(file), 'buffer')).toString('latin1') };
  return found.isFile() ? { path, mode, bytes: found.size } : 'special-file';
}

async function writeBlobs(
  git: Git,
  repository: RepositoryPlace,
  { folder, files }: PlainOrder & { readonly files: readonly PlainEntry[] },
): Promise<ReadonlyMap<PlainEntry, string>> {
  if (files.length === 0) return new Map();
  const input = files.map(({ path }) => `${quoted(`${asBytes(folder)}/${path}`)}\n`).join('');
  const args = ['hash-object', '-w', '--no-filters', '--stdin-paths'];
  const { stdout } = await git.run(args, { ...inRepository(repository), input, effect: 'blobs-written' });
  const names = stdout.split('\n');
  return new Map(files.map((file, index) => [file, names[index]!]));
}

async function writeText(git: Git, repository: RepositoryPlace, input: string): Promise<string> {
  const args = ['hash-object', '-w', '--no-filters', '--stdin'];
  return (await git.run(args, { ...inRepository(repository), input })).stdout.trim();
}

/** As git reads paths that are no plain text. */
export function quoted(path: string): string {
  return `"${path.replaceAll(/[^\w/.-]/g, octal)}"`;
}

function octal(sign: string): string {
  return `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`;
}

function asLatin({ name }: Dirent<Buffer>): string {
  return name.toString('latin1');
}

/** A path that is text, each character a byte. */
export function asBytes(path: string): string {
  return Buffer.from(path).toString('latin1');
}

export function bytesOf(path: string): Buffer {
  return Buffer.from(path, 'latin1');
}
