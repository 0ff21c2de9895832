import { createHmac, timingSafeEqual } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { crashPoint, keyIn, PitonError, readKeyIn, sha256, randomId, writeOnce } from '../base/index.ts';
import { nonceLength, readIfThere, type ExitRecord } from './layout.ts';
import type { Exit } from './order.ts';

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
    this.#nameIt();
    crashPoint('spool:after-key-name');
    this.#key = keyIn(this.#keys, this.#name()!);
  }

  #nameIt(): void {
    const file = join(this.#spool, nameFile);
    if (readIfThere(file) !== undefined) return;
    try {
      writeOnce(file, `${randomId(32)}\n`);
    } catch (cause) {
      throw unwritable(file, cause);
    }
  }

  /**
   * Of a record that says this. Another for what has passed: whoever reads the record of one that has failed, which its folder shows,
   * cannot write that it has passed.
   */
  nonceOf(attempt: string, { code, timedOut }: Exit): string {
    this.make();
    return nonceUnder(this.#key!, code === 0 && !timedOut ? `passed ${attempt}` : attempt);
  }

  /** Both, for the wrapper: it knows last which of them it needs. */
  noncesOf(attempt: string): string {
    return ends.map((end) => this.nonceOf(attempt, end)).join(' ');
  }

  /** False too if there is no key: nobody can tell then. Changes nothing. */
  isNonceOf(attempt: string, { nonce, ...exit }: ExitRecord): boolean {
    const name = this.#name();
    if (name !== undefined) this.#key ??= readKeyIn(this.#keys, name);
    if (this.#key === undefined) return false;
    const right = Buffer.from(this.nonceOf(attempt, exit));
    const given = Buffer.from(nonce);
    return given.length === right.length && timingSafeEqual(given, right);
  }

  /** Undefined: no key was made for this spool yet. */
  file(): string | undefined {
    const name = this.#name();
    return name && join(this.#keys, name);
  }

  #name(): string | undefined {
    const text = readIfThere(join(this.#spool, nameFile));
    // Hashed: what is in the spool may have been written by anybody, and must not lead out of the folder of keys.
    return text === undefined ? undefined : sha256(text).slice(0, 32);
  }
}

/** One that has failed, and one that has passed. */
const ends: readonly Exit[] = [
  { code: 1, timedOut: false },
  { code: 0, timedOut: false },
];

function nonceUnder(key: Buffer, attempt: string): string {
  return createHmac('sha256', key).update(attempt).digest('hex').slice(0, nonceLength);
}

function unwritable(file: string, cause: unknown): PitonError {
  return new PitonError('SPOOL_UNWRITABLE', `The file ${file} cannot be made.`, {
    file,
    cause,
    remedy: 'Make sure that the disk is not full and the folder may be written to.',
  });
}
