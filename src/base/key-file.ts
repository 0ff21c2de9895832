import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { crashPoint } from './crash-point.ts';
import { hasCode, PitonError } from './errors.ts';
import { randomId } from './ids.ts';
import { makePrivateFolder } from './user-folders.ts';

/** 32 random bytes in a folder of this user's alone. Makes them if there are none. Throws `KEY_UNUSABLE`, `FOLDER_UNSAFE`. */
export function keyIn(folder: string, name: string): Buffer {
  const there = readKeyIn(folder, name);
  if (there !== undefined) return there;
  makePrivateFolder(folder);
  const file = join(folder, name);
  try {
    writeOnce(file, randomBytes(keyBytes));
  } catch (cause) {
    throw unusable(file, 'cannot be made', cause);
  }
  crashPoint('key:after-made');
  return readKeyIn(folder, name)!;
}

const keyBytes = 32;

/** Undefined: there is none. Changes nothing. Throws `KEY_UNUSABLE`. */
export function readKeyIn(folder: string, name: string): Buffer | undefined {
  return readKey(join(folder, name));
}

/** Whole or not at all, and never over what another has written: a link appears at once, and only where nothing is. */
export function writeOnce(file: string, content: string | Buffer): void {
  const draft = `${file}.${randomId()}`;
  try {
    writeFileSync(draft, content, { flag: 'wx', mode: 0o600, flush: true });
    crashPoint('key:after-draft');
    linkSync(draft, file);
    syncFolder(dirname(file));
  } catch (cause) {
    if (!hasCode(cause, 'EEXIST')) throw cause;
  } finally {
    rmSync(draft, { force: true });
  }
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function readKey(file: string): Buffer | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    if (hasCode(cause, 'ENOENT') || hasCode(cause, 'ENOTDIR')) return undefined;
    throw unusable(file, 'cannot be read', cause);
  }
  try {
    const found = fstatSync(descriptor);
    const isOurs = found.uid === (process.getuid?.() ?? found.uid) && (found.mode & 0o077) === 0;
    if (!found.isFile() || !isOurs) throw unusable(file, "is not a file of this user's alone");
    if (found.size !== keyBytes) throw unusable(file, 'is damaged');
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function unusable(file: string, why: string, cause?: unknown): PitonError {
  return new PitonError('KEY_UNUSABLE', `The key ${file} ${why}.`, {
    file,
    cause,
    remedy:
      'Make it your own (chmod 600), or remove it: another is made then. What attempts have printed up to now is not shown any more, or how they ended is not believed, by what the key was for.',
  });
}
