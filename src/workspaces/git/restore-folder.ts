import { constants } from 'node:fs';
import { chmod, mkdir, mkdtemp, open, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { effect, hasCode, isInside, PitonError } from '../../base/index.ts';
import type { Git } from './git.ts';
import { readObjects } from './objects.ts';
import { asBytes, bytesOf, listName, type PlainEntry } from './plain-folders.ts';
import { inRepository, type WorktreePlace } from './places.ts';

/** So much is held in memory at once; a larger file is written by git itself. */
const mostBytes = 32 * 1024 * 1024;

export interface PlainRestore {
  readonly worktree: WorktreePlace;
  /** The folder, from the top of the worktree. */
  readonly path: string;
  /** As `writePlainFolder` has made it. */
  readonly tree: string;
}

/**
 * Lays out a folder as it was. Whoever can write refs could have written the archive: nothing outside of the worktree is touched,
 * neither by a path that leads out of it nor by a link on the way.
 */
export async function restorePlainFolder(git: Git, order: PlainRestore): Promise<void> {
  await effect('git.folder-restored', async () => {
    const entries = await readList(git, order);
    const folders = new Folders(order.worktree.path);
    const top = asBytes(order.path);
    await folders.make(top);
    const at = (entry: PlainEntry): string => `${top}/${entry.path}`;
    for (const entry of entries) if (isFolder(entry)) await folders.make(at(entry));
    for (const batch of batchesOf(entries.filter(({ blob }) => blob !== undefined))) {
      const contents = await contentsOf(git, order.worktree, batch);
      for (const [index, entry] of batch.entries())
        await writeFile(await folders.fileAt(at(entry)), { ...entry, content: contents[index]! });
    }
    for (const entry of entries)
      if (entry.link !== undefined) await writeLink(await folders.fileAt(at(entry)), entry.link);
    // Not before: into a folder that is read-only nothing could be written.
    for (const entry of entries.toReversed())
      if (isFolder(entry)) await chmod(await folders.fileAt(at(entry)), entry.mode & 0o777);
  });
}

function isFolder({ blob, link }: PlainEntry): boolean {
  return blob === undefined && link === undefined;
}

async function readList(git: Git, { worktree, tree }: PlainRestore): Promise<readonly PlainEntry[]> {
  const [list] = await readObjects(git, worktree, [`${tree}:${listName}`]);
  if (list === undefined) throw unreadable(tree, 'it has no list of its files');
  return JSON.parse(list.content.toString('utf8')) as readonly PlainEntry[];
}

function* batchesOf(files: readonly PlainEntry[]): Generator<readonly PlainEntry[]> {
  let batch: PlainEntry[] = [];
  let bytes = 0;
  for (const file of files) {
    if (batch.length > 0 && bytes + (file.bytes ?? 0) > mostBytes) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(file);
    bytes += file.bytes ?? 0;
  }
  if (batch.length > 0) yield batch;
}

async function contentsOf(
  git: Git,
  worktree: WorktreePlace,
  batch: readonly PlainEntry[],
): Promise<readonly Buffer[]> {
  const names = batch.map(({ blob }) => blob!);
  if ((batch[0]?.bytes ?? 0) > mostBytes) return [await readLarge(git, worktree, names[0]!)];
  const objects = await readObjects(git, worktree, names);
  return objects.map((found, index) => {
    if (found === undefined) throw unreadable(names[index]!, 'an object of it is missing');
    return found.content;
  });
}

async function readLarge(git: Git, worktree: WorktreePlace, blob: string): Promise<Buffer> {
  const folder = await mkdtemp(join(worktree.gitDir, 'piton-restore-'));
  try {
    const options = { ...inRepository(worktree), cwd: folder };
    const { stdout } = await git.run(['unpack-file', blob], options);
    return await readFile(join(folder, stdout.trim()));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Never through a link: where one is in the way, it goes. */
async function writeFile(
  file: Buffer,
  { mode, content }: { readonly mode: number; readonly content: Buffer },
): Promise<void> {
  await remove(file);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(file, flags, 0o600);
  try {
    await handle.writeFile(content);
    await handle.chmod(mode & 0o777);
  } finally {
    await handle.close();
  }
}

async function writeLink(file: Buffer, link: string): Promise<void> {
  await remove(file);
  await symlink(bytesOf(link), file);
}

/** A folder too: of a submodule, an earlier try that was killed has left one where the file was. */
async function remove(file: Buffer): Promise<void> {
  await rm(file, { recursive: true, force: true });
}

/** The folders below a top that are known to be folders, and not links. */
class Folders {
  readonly #top: string;
  readonly #known = new Set<string>();

  constructor(top: string) {
    this.#top = asBytes(top);
  }

  async make(path: string): Promise<void> {
    const parts = partsOf(path);
    for (let depth = 1; depth <= parts.length; depth++) {
      const way = parts.slice(0, depth).join('/');
      if (this.#known.has(way)) continue;
      await this.#makeOne(way);
      this.#known.add(way);
    }
  }

  /** Where a file is to be: in a folder that is one. */
  async fileAt(path: string): Promise<Buffer> {
    const parts = partsOf(path);
    await this.make(parts.slice(0, -1).join('/'));
    return this.#fileOf(parts.join('/'));
  }

  #fileOf(way: string): Buffer {
    return bytesOf(`${this.#top}/${way}`);
  }

  async #makeOne(way: string): Promise<void> {
    const folder = this.#fileOf(way);
    try {
      await mkdir(folder);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
      const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
      const handle = await open(folder, flags).catch(() => undefined);
      if (handle === undefined) throw unreadable(way, 'something else than a folder is in its way');
      await handle.close();
    }
  }
}

function partsOf(path: string): readonly string[] {
  const parts = path.split('/').filter((part) => part !== '');
  if (!isInside(path) || parts.some((part) => part === '.' || part === '..' || part.includes('\0')))
    throw unreadable(path, 'it leads out of the worktree');
  return parts;
}

function unreadable(what: string, why: string): PitonError {
  return new PitonError('ARCHIVE_UNREADABLE', `${what} cannot be restored: ${why}.`, {
    what,
    remedy: 'The archive is damaged, or not one of Piton: look at what it holds with `git show`.',
  });
}
