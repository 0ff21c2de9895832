import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { assertOwnFile, hasCode, PitonError } from '../../base/index.ts';

/** By the `type` of statfs(2) on Linux. Their locks and shared memory do not keep SQLite's promises. */
const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x01021997, '9p'],
]);

export function networkFileSystem(type: number): string | undefined {
  return networkFileSystems.get(type >>> 0);
}

/** From the first release with a write-ahead log up to 3.51.2, SQLite could lose committed pages when a checkpoint met a writer. */
export function losesLog(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const number = major * 1_000_000 + minor * 1_000 + patch;
  return number >= 3_007_000 && number <= 3_051_002;
}

/** Makes the folder of the file, and refuses to go on where SQLite cannot keep what it promises. */
export function prepareMedium(file: string): void {
  if (losesLog(process.versions.sqlite ?? '0')) throw tooOld(process.versions.sqlite!);
  try {
    makeFolder(dirname(file));
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) throw isFolder(file);
    makeOwn(file);
  } catch (error) {
    throw error instanceof PitonError ? error : unreachable(file, error);
  }
  const network = networkFileSystem(statfsSync(dirname(file)).type);
  if (network !== undefined) throw onNetwork(file, network);
}

function makeFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true });
  if (first === undefined) return;
  // A new folder that is not synced into its parent may be gone after a loss of power, and the store with it.
  for (let made = folder; made.length >= first.length; made = dirname(made)) syncFolder(dirname(made));
}

/** Nobody else reads in it; and what another user has put there would be done in the name of this one. */
function makeOwn(file: string): void {
  assertOwnFile(file);
  // SQLite makes the files beside it as this one is.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  // SQLite goes on where a link of the file leads; what lies beside it is never a link of its own.
  const real = realpathSync(file);
  for (const one of [real, ...beside.map((ending) => `${real}${ending}`)]) {
    const found = lstatSync(one, { throwIfNoEntry: false });
    if (found?.isFile() === false || namesAnother(one)) throw notOurs(one);
    if (((found?.mode ?? 0) & 0o077) !== 0) closeToOthers(one);
  }
}

/** How a journal ends that belongs to a change of several stores: SQLite may remove the file that it names, wherever that is. */
const namingEnd = 'd9d505f920a163d7';

function namesAnother(file: string): boolean {
  if (!file.endsWith('-journal')) return false;
  try {
    return lastBytes(file, 8) === namingEnd;
  } catch (error) {
    // Most often there is none, and who makes the store at this moment has one for a moment.
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** As hexadecimal digits. Not all of it is read: whoever put it there may have made it as large as the disk. */
function lastBytes(file: string, count: number): string {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const bytes = Buffer.alloc(count);
    const read = readSync(descriptor, bytes, 0, count, Math.max(fstatSync(descriptor).size - count, 0));
    return bytes.subarray(0, read).toString('hex');
  } finally {
    closeSync(descriptor);
  }
}

/** Its log, the index of that, the journal of before there was a log, and what is given up when the disk is full. */
const beside = ['-wal', '-shm', '-journal', '.ballast'];

function closeToOthers(file: string): void {
  try {
    chmodSync(file, 0o600);
  } catch {
    // A disk, or a file of ours, that nobody can change: what is written there from now on is refused anyway.
    return;
  }
}

/** As far as the file system lets us: some cannot sync folders, and none of those promises more by refusing. */
export function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r');
    fsyncSync(descriptor);
    closeSync(descriptor);
  } catch {
    return;
  }
}

function tooOld(version: string): PitonError {
  return new PitonError(
    'SQLITE_TOO_OLD',
    `This Node brings SQLite ${version}, which can lose committed data.`,
    {
      version,
      remedy: 'Update Node to a release that brings SQLite 3.51.3 or later.',
    },
  );
}

function isFolder(file: string): PitonError {
  return new PitonError('STORE_UNREADABLE', `The store ${file} is a folder.`, {
    file,
    remedy: 'Name a file in it, for example piton.db.',
  });
}

/** What it leads to would be changed in its place. */
function notOurs(file: string): PitonError {
  return new PitonError(
    'STORE_UNREADABLE',
    `${file} belongs to a store, and is a link, no file, or names files of others.`,
    {
      file,
      remedy: 'Piton has not made it: see where it came from, and move it away.',
    },
  );
}

function unreachable(file: string, cause: unknown): PitonError {
  const reason = hasCode(cause, 'EACCES') ? 'permission denied' : String((cause as Error).message);
  return new PitonError(
    'STORE_UNREADABLE',
    `The folder of the store ${file} cannot be made or read: ${reason}.`,
    {
      file,
      cause,
      remedy: 'Check the path and who owns it, or choose another place for the store.',
    },
  );
}

function onNetwork(file: string, network: string): PitonError {
  return new PitonError('STORE_ON_NETWORK', `The store ${file} lies on a network file system (${network}).`, {
    file,
    network,
    remedy: 'Put it on a local disk: SQLite loses data when its locks are not kept.',
  });
}
