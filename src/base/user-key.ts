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
import { makePrivateFolder, stateFolder } from './user-folders.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const known = new Map<string, Buffer>();

/** 32 random bytes of this user, outside of all projects. Makes them if there are none. Throws `KEY_UNUSABLE`, `FOLDER_UNSAFE`. */
export function userKey(name: string, environment?: Environment): Buffer {
  const there = readUserKey(name, environment);
  if (there !== undefined) return there;
  const folder = stateFolder('keys', environment);
  makePrivateFolder(folder);
  makeKey(join(folder, name));
  return readUserKey(name, environment)!;
}

/** Undefined: there is none. Changes nothing. Throws `KEY_UNUSABLE`. */
export function readUserKey(name: string, environment?: Environment): Buffer | undefined {
  const file = join(stateFolder('keys', environment), name);
  const remembered = known.get(file);
  if (remembered !== undefined) return remembered;
  const key = readKey(file);
  if (key !== undefined) known.set(file, key);
  return key;
}

/** Several may do so at once, and any of them die: a link appears whole, and only where nothing is. */
function makeKey(file: string): void {
  const draft = `${file}.${randomId()}`;
  try {
    writeFileSync(draft, randomBytes(32), { flag: 'wx', mode: 0o600, flush: true });
    crashPoint('key:after-draft');
    linkSync(draft, file);
    syncFolder(dirname(file));
    crashPoint('key:after-made');
  } catch (cause) {
    if (!hasCode(cause, 'EEXIST')) throw unusable(file, 'cannot be made', cause);
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
    const { uid, mode, size } = fstatSync(descriptor);
    const isOurs = uid === (process.getuid?.() ?? uid) && (mode & 0o077) === 0;
    if (!fstatSync(descriptor).isFile() || !isOurs)
      throw unusable(file, "is not a file of this user's alone");
    if (size !== 32) throw unusable(file, 'is damaged');
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
      'Make it your own (chmod 600), or remove it: another is made then, and what was printed by attempts up to now is not shown any more.',
  });
}
