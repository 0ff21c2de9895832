import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { longestLine, mask, spellingsOf, type Hiding } from './redact.ts';

/**
 * By these a text is rid of values that are not known any more: in a later shell, or after a secret was changed. The rolling
 * hash finds candidates quickly, the other says whether they are it. No value can be had from them but by guessing it, and only
 * by whoever has the key.
 */
interface Fingerprints {
  /** Of the lines of the values, in UTF-16 units. */
  readonly longest: number;
  readonly spellings: readonly Fingerprint[];
}

interface Fingerprint {
  readonly length: number;
  readonly hash: number;
  readonly mac: string;
}

/** For `attempt.json`: encrypted, as their lengths and hashes would help to guess them. Empty: there is nothing to hide. */
export function sealFingerprints(values: readonly string[], key: () => Buffer): string {
  const spellings = spellingsOf(values);
  if (spellings.length === 0) return '';
  const keys = new Keys(key());
  const fingerprints: Fingerprints = {
    longest: longestLine(values),
    spellings: spellings.map((text) => ({
      length: text.length,
      hash: hashOf(text, keys.base),
      mac: keys.macOf(text),
    })),
  };
  return keys.seal(JSON.stringify(fingerprints));
}

/** Undefined: they were sealed with another key, or are damaged. `known`: values that are looked for otherwise. */
export function openFingerprints(
  sealed: string,
  { key, known }: { readonly key: Buffer; readonly known: readonly string[] },
): Hiding | undefined {
  const keys = new Keys(key);
  const text = keys.open(sealed);
  if (text === undefined) return undefined;
  const { longest, spellings } = JSON.parse(text) as Fingerprints;
  const macs = new Set(spellingsOf(known).map((spelling) => keys.macOf(spelling)));
  const rest = spellings.filter(({ mac }) => !macs.has(mac));
  // The longest first: one may be a part of another.
  const lengths = [...new Set(rest.map(({ length }) => length))].sort((a, b) => b - a);
  const groups = lengths.map(
    (length) =>
      new Group(
        rest.filter((one) => one.length === length),
        keys,
      ),
  );
  return { longest, hide: (shown) => groups.reduce((hidden, group) => group.hide(hidden), shown) };
}

const hashSlots = 1 << 14;

/** What is hidden and has the same length. */
class Group {
  readonly #length: number;
  readonly #macs = new Map<number, Set<string>>();
  /** By the last bits of the hash: most units of a text need no further look. */
  readonly #candidates = new Uint8Array(hashSlots);
  readonly #keys: Keys;
  /** What the unit that leaves the window counts for. */
  readonly #power: number;

  constructor(fingerprints: readonly Fingerprint[], keys: Keys) {
    this.#length = fingerprints[0]!.length;
    this.#keys = keys;
    this.#power = powerOf(keys.base, this.#length - 1);
    for (const { hash, mac } of fingerprints) {
      this.#macs.set(hash, (this.#macs.get(hash) ?? new Set()).add(mac));
      this.#candidates[hash & (hashSlots - 1)] = 1;
    }
  }

  hide(text: string): string {
    const length = this.#length;
    if (text.length < length) return text;
    const { base } = this.#keys;
    const [candidates, power] = [this.#candidates, this.#power];
    const parts: string[] = [];
    let shown = 0;
    let hash = hashOf(text.slice(0, length), base);
    for (let start = 0; ; start++) {
      if (candidates[hash & (hashSlots - 1)] === 1 && start >= shown && this.#isHidden(hash, text, start)) {
        parts.push(text.slice(shown, start), mask);
        shown = start + length;
      }
      const end = start + length;
      if (end >= text.length) break;
      const rest = (hash - Math.imul(text.charCodeAt(start), power)) | 0;
      hash = (Math.imul(rest, base) + text.charCodeAt(end)) | 0;
    }
    return shown === 0 ? text : parts.join('') + text.slice(shown);
  }

  #isHidden(hash: number, text: string, start: number): boolean {
    const macs = this.#macs.get(hash);
    return macs !== undefined && macs.has(this.#keys.macOf(text.slice(start, start + this.#length)));
  }
}

function hashOf(text: string, base: number): number {
  let hash = 0;
  for (let index = 0; index < text.length; index++)
    hash = (Math.imul(hash, base) + text.charCodeAt(index)) | 0;
  return hash;
}

function powerOf(base: number, exponent: number): number {
  let power = 1;
  for (let count = 0; count < exponent; count++) power = Math.imul(power, base);
  return power;
}

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** One for each purpose, all of the user's one. */
class Keys {
  /** Of the rolling hash; odd, so that no unit loses its weight. */
  readonly base: number;
  readonly #mac: Buffer;
  readonly #seal: Buffer;

  constructor(key: Buffer) {
    const derived = (purpose: string): Buffer => createHmac('sha256', key).update(purpose).digest();
    this.base = derived('rolling').readInt32LE() | 1;
    this.#mac = derived('mac');
    this.#seal = derived('seal');
  }

  macOf(text: string): string {
    return createHmac('sha256', this.#mac).update(text, 'utf16le').digest('base64').slice(0, 24);
  }

  seal(text: string): string {
    const nonce = randomBytes(nonceBytes);
    const sealing = createCipheriv(cipher, this.#seal, nonce);
    const sealed = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()]);
    return Buffer.concat([nonce, sealing.getAuthTag(), sealed]).toString('base64');
  }

  open(sealed: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64');
    if (bytes.length < nonceBytes + tagBytes) return undefined;
    try {
      const opening = createDecipheriv(cipher, this.#seal, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      });
      opening.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      return opening.update(bytes.subarray(nonceBytes + tagBytes), undefined, 'utf8') + opening.final('utf8');
    } catch {
      return undefined;
    }
  }
}
