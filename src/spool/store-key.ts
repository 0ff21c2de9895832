import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { crashPoint, makePrivateFolder, PitonError, randomId, sha256 } from '../base/index.ts';
import { codeOf, isAbsence, nonceLength, readIfThere } from './layout.ts';

/** Lies in the spool and names its key, so that a folder that is moved keeps it. It is no secret. */
const nameFile = '.key-name';

/**
 * Makes and knows the nonces of attempts: each is the HMAC of the attempt's id under a key that lies outside of the project,
 * so that whoever can write into the spool cannot write how another attempt has ended. It needs neither the journal nor
 * the process that started the attempt.
 */
export class StoreKey {
  readonly #spool: string;
  readonly #keys: string;
  #key: Buffer | undefined;

  constructor(spool: string, keys: string) {
    this.#spool = spool;
    this.#keys = keys;
  }

  /** Makes the key if there is none. Several may do so at once, and any of them die: all come to the same. */
  make(): void {
    if (this.#key !== undefined) return;
    mkdirSync(this.#spool, { recursive: true, mode: 0o700 });
    writeOnce(join(this.#spool, nameFile), `${randomId(32)}\n`);
    crashPoint('spool:after-key-name');
    const file = this.file()!;
    makePrivateFolder(this.#keys);
    writeOnce(file, `${randomBytes(32).toString('hex')}\n`);
    crashPoint('spool:after-key');
    this.#key = readKey(file);
  }

  nonceOf(attempt: string): string {
    this.make();
    return nonceUnder(this.#key!, attempt);
  }

  /** False too if there is no key: nobody can tell then. Changes nothing. */
  isNonceOf(attempt: string, nonce: string): boolean {
    const file = this.file();
    if (file !== undefined) this.#key ??= readKey(file);
    if (this.#key === undefined) return false;
    const right = Buffer.from(nonceUnder(this.#key, attempt));
    const given = Buffer.from(nonce);
    return given.length === right.length && timingSafeEqual(given, right);
  }

  /** Undefined: no key was made for this spool yet. */
  file(): string | undefined {
    const name = readIfThere(join(this.#spool, nameFile));
    // Hashed: what is in the spool may have been written by anybody, and must not lead out of the folder of keys.
    return name === undefined ? undefined : join(this.#keys, sha256(name).slice(0, 32));
  }
}

function nonceUnder(key: Buffer, attempt: string): string {
  return createHmac('sha256', key).update(attempt).digest('hex').slice(0, nonceLength);
}

/** Whole or not at all, and never over what another has written: a link appears at once, and only where nothing is. */
function writeOnce(file: string, content: string): void {
  if (readIfThere(file) !== undefined) return;
  const draft = `${file}.${randomId()}`;
  try {
    writeFileSync(draft, content, { flag: 'wx', mode: 0o600, flush: true });
    crashPoint('spool:after-key-draft');
    linkSync(draft, file);
    syncFolder(dirname(file));
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') throw unwritable(file, cause);
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
    if (isAbsence(cause)) return undefined;
    throw unusable(file, 'cannot be read', cause);
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile() || stat.uid !== process.getuid!() || (stat.mode & 0o077) !== 0)
      throw unusable(file, "is not a file of this user's alone");
    const text = readFileSync(descriptor, 'utf8');
    if (!/^[0-9a-f]{64}\n$/.test(text)) throw unusable(file, 'is damaged');
    return Buffer.from(text.trimEnd(), 'hex');
  } finally {
    closeSync(descriptor);
  }
}

function unusable(file: string, why: string, cause?: unknown): PitonError {
  return new PitonError('SPOOL_KEY_UNUSABLE', `The key ${file} ${why}.`, {
    file,
    cause,
    remedy:
      'Put it right (chmod 600), or remove it: a new one is made, and attempts that have ended since they were last looked at count as interrupted.',
  });
}

function unwritable(file: string, cause: unknown): PitonError {
  return new PitonError('SPOOL_UNWRITABLE', `The key ${file} cannot be made.`, {
    file,
    cause,
    remedy: 'Make sure that the disk is not full and the folder may be written to, or set XDG_STATE_HOME.',
  });
}
