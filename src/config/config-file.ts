import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { dirname, sep } from 'node:path';
import { asError, hasCode, PitonError, shellWord } from '../base/index.ts';
import { problem } from './config-source.ts';

/** More than anybody writes by hand. */
const mostBytes = 1024 * 1024;
/** An editor that writes it is done after one of these. */
const mostReadings = 5;

/** What may be wrong with a file before its text is looked at. Throws in words. */
type Judge = (found: Stats) => void;

/** Of a project; undefined if there is none. What it leads to outside of the project is not read. Throws `CONFIG_INVALID`. */
export function readProjectFile(file: string, root: string): string | undefined {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true) assertInside(file, root);
  return readText(file);
}

/** Of the user, who alone may write to it; undefined if there is none. Throws `CONFIG_INVALID`. */
export function readUserFile(file: string): string | undefined {
  return readText(file, ({ uid, mode }) => {
    const own = process.getuid?.() ?? uid;
    // Where a system is configured as a whole, the files of its users belong to the administrator.
    if (uid !== own && uid !== 0)
      throw problem(file, 'it belongs to another user, who could make Piton execute something', chown(file));
    if ((mode & 0o022) !== 0)
      throw problem(file, 'other users may write to it', `Take that away: chmod go-w ${shellWord(file)}`);
  });
}

function chown(file: string): string {
  return `Look at it, and make it your own: chown "$(id -u)" ${shellWord(file)}`;
}

function assertInside(file: string, root: string): void {
  const target = realPathOf(file);
  if (target === undefined) return;
  const folders = [realpathSync(root), realpathSync(dirname(file))];
  if (folders.some((folder) => target.startsWith(folder + sep))) return;
  throw problem(file, `it is a link out of the project, to ${target}`, 'Put the file itself there.');
}

/** Undefined for a link that leads nowhere. */
function realPathOf(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw problem(file, asError(error).message);
  }
}

/** Any file, to be judged. Undefined if there is none. Throws `CONFIG_INVALID`. */
export function readText(file: string, judge?: Judge): string | undefined {
  try {
    return decode(readSteady(file, judge));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    if (error instanceof PitonError) throw error;
    throw problem(file, asError(error).message);
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Error('it is not UTF-8 text', { cause });
  }
}

/** What is being written while it is read is read again: half of a file may be a valid one. */
function readSteady(file: string, judge: Judge | undefined): Buffer {
  for (let reading = 0; reading < mostReadings; reading++) {
    const bytes = readOnce(file, judge);
    if (bytes !== undefined) return bytes;
  }
  throw new Error('it changes while it is read');
}

/** Undefined if it has changed meanwhile. A pipe would be waited for, and a device never ends. */
function readOnce(file: string, judge: Judge | undefined): Buffer | undefined {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const before = fstatSync(descriptor);
    if (!before.isFile()) throw new Error(`it is ${kindOf(before)}, not a file`);
    if (before.size > mostBytes) throw new Error('it is larger than 1 MiB');
    judge?.(before);
    const bytes = readFileSync(descriptor);
    const after = fstatSync(descriptor);
    const isSteady = after.size === bytes.length && after.mtimeMs === before.mtimeMs;
    return isSteady ? bytes : undefined;
  } finally {
    closeSync(descriptor);
  }
}

function kindOf(found: Stats): string {
  return found.isDirectory() ? 'a folder' : 'a device or a pipe';
}
