/** Files as the kinds of places handle them: whole or not at all, and never by following a link. */
import { constants } from 'node:fs';
import {
  chmod,
  copyFile,
  lstat,
  lutimes,
  mkdir,
  open,
  readdir,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  utimes,
} from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { asError, hasCode, PitonError, randomId } from '../base/index.ts';
import type { Stats } from 'node:fs';

/** For what places lie in: whatever the umask, nobody else may write there, who could exchange one for another. */
export async function makeAround(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o755 });
}

/** `full`: what was written survives a power loss. `process`: it survives any kill. */
export type Durability = 'full' | 'process';

export interface CopyOptions {
  readonly durability: Durability;
  readonly isLeftOut?: (path: string) => boolean;
}

/**
 * What is at `source`, at `target`, where nothing is yet. Links are copied as they are written: made absolute, they would
 * lead whoever works in the copy into what it was made from. Sockets and the like are nothing without their process.
 */
export async function copyTree(source: string, target: string, options: CopyOptions): Promise<void> {
  const found = await lstat(source);
  if (found.isSymbolicLink()) return copyLink(source, target, found);
  if (found.isFile()) return copyOne(source, target, options);
  if (!found.isDirectory()) return;
  await mkdir(target);
  for (const name of await readdir(source)) {
    const path = join(source, name);
    if (options.isLeftOut?.(path) !== true) await copyTree(path, join(target, name), options);
  }
  // Not before: into a folder that is read-only nothing could be copied.
  await chmod(target, found.mode);
  await utimes(target, found.atime, found.mtime);
}

/** A full disk, or a file that may not be read, said so that it can be put right. */
export async function orSetupFailure<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof PitonError) throw error;
    throw new PitonError('SETUP_FAILED', `${path} could not be made: ${asError(error).message}.`, {
      path,
      cause: error,
      remedy: 'See to it that there is room and that the files can be read; then `piton retry`.',
    });
  }
}

async function copyLink(source: string, target: string, { atime, mtime }: Stats): Promise<void> {
  await symlink(await readlink(source), target);
  await lutimes(target, atime, mtime);
}

async function copyOne(source: string, target: string, { durability }: CopyOptions): Promise<void> {
  await copyFile(source, target, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  if (durability === 'full') await syncFile(target);
  const { atime, mtime } = await lstat(source);
  await utimes(target, atime, mtime);
}

async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** With the folders on the way there. */
export async function writeWhole(file: string, text: string, durability: Durability): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await replaceFile(file, text, durability);
}

/** By renaming: the text is there as a whole or not at all. */
export async function replaceFile(file: string, text: string, durability: Durability): Promise<void> {
  const draft = `${file}.${randomId()}`;
  const handle = await open(draft, 'wx');
  try {
    await handle.writeFile(text);
    if (durability === 'full') await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file).catch(async (error: unknown) => {
    await rm(draft, { force: true });
    throw error;
  });
}

/** Undefined: it is not there, or no file. A pipe that an agent has put there would keep us waiting. */
export async function readPlain(file: string): Promise<string | undefined> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    if (!['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENXIO'].some((code) => hasCode(error, code))) throw error;
  });
  if (handle === undefined) return undefined;
  try {
    return (await handle.stat()).isFile() ? await handle.readFile('utf8') : undefined;
  } finally {
    await handle.close();
  }
}

/** What is there, itself and not what a link leads to. */
export async function findEntry(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** The folders on the way from a place to something in it: whoever has worked there may have put a link among them. */
export async function assertPlainWay(root: string, target: string): Promise<void> {
  const names = relative(root, dirname(target)).split(sep);
  for (const [index, name] of names.entries())
    if (name !== '') await assertNoLink(join(root, ...names.slice(0, index + 1)));
}

export async function makeWay(root: string, target: string): Promise<void> {
  await assertPlainWay(root, target);
  await mkdir(dirname(target), { recursive: true });
}

/** Of the folder that holds the places of a run: behind a link, all that is done to them would be done to something else. */
export async function assertNoLink(folder: string): Promise<void> {
  if ((await findEntry(folder))?.isSymbolicLink() !== true) return;
  throw new PitonError('WORKTREE_REFUSED', `${folder} is a link, and no folder of Piton.`, {
    path: folder,
    remedy: 'See who has made it and where it leads; remove the link, then try again.',
  });
}

/** What changes whenever somebody writes it: also who sets its times back cannot set back that they did. */
export async function lookAtFile(file: string): Promise<string | undefined> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found && [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ');
}

/** Those in a folder, sorted; none if it is not there. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return [];
    throw error;
  }
}

/** Whether there are files, or links, of one content at both places. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  const [found, theirs] = [await findEntry(one), await findEntry(other)];
  if (found === undefined || theirs === undefined) return false;
  if (found.isSymbolicLink() && theirs.isSymbolicLink()) {
    return (await readlink(one)) === (await readlink(other));
  }
  if (!found.isFile() || !theirs.isFile() || found.size !== theirs.size) return false;
  return isSameContent(one, other);
}

const chunkBytes = 1024 * 1024;

/** Piece by piece: they may be bigger than the memory. */
async function isSameContent(one: string, other: string): Promise<boolean> {
  const handles = [await open(one, 'r'), await open(other, 'r')] as const;
  const chunks = [Buffer.alloc(chunkBytes), Buffer.alloc(chunkBytes)] as const;
  try {
    for (;;) {
      const [a, b] = await Promise.all([handles[0].read(chunks[0]), handles[1].read(chunks[1])]);
      if (a.bytesRead !== b.bytesRead) return false;
      if (a.bytesRead === 0) return true;
      if (!chunks[0].subarray(0, a.bytesRead).equals(chunks[1].subarray(0, a.bytesRead))) return false;
    }
  } finally {
    await Promise.all(handles.map((handle) => handle.close()));
  }
}

/** Every file and link below a folder, as ways from it; folders that hold nothing end with a slash. */
export async function waysIn(folder: string, isLeftOut?: (path: string) => boolean): Promise<string[]> {
  const ways: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (isLeftOut?.(path) === true) continue;
    if (!entry.isDirectory()) ways.push(entry.name);
    else ways.push(...(await waysBelow(path, isLeftOut)));
  }
  return ways.sort();
}

async function waysBelow(folder: string, isLeftOut?: (path: string) => boolean): Promise<string[]> {
  const name = basename(folder);
  const inner = await waysIn(folder, isLeftOut);
  return inner.length === 0 ? [`${name}/`] : inner.map((way) => `${name}/${way}`);
}
