import { resolve } from 'node:path';
import { nearest, PitonError } from '../../base/index.ts';
import type { StoreAddress } from '../contract.ts';

/** What a `sqlite:` URL says, with every default filled in. */
export interface Address {
  readonly url: string;
  /** Absolute: a later change of the working directory must not lead to another file. */
  readonly file: string;
  /** Quota of the database file; undefined = as much as the disk holds. */
  readonly maxBytes: number | undefined;
  /** Below this much free space nothing new should be started. */
  readonly minFreeBytes: number;
  /** How long to go on asking for a locked database. */
  readonly patienceMs: number;
}

/** As SQLite calls it. */
const inMemory = ':memory:';

const defaults: Readonly<Record<string, number | undefined>> = {
  'max-bytes': undefined,
  'min-free': 64 * 1024 * 1024,
  patience: 10_000,
};

/**
 * The same, to be read in any folder: the path is absolute, from `directory` on. What names no file is as it was, for `parseAddress` to
 * refuse.
 */
export function resolveAddress(url: string, directory: string): StoreAddress {
  const { path, query } = split(url);
  if (path === '' || path === inMemory) return { url };
  const file = resolve(directory, path);
  // Of a folder with a question mark in its name, the rest must not be taken for parameters.
  const isClosed = query !== '' || file.includes('?');
  return { url: `sqlite:${file}${isClosed ? `?${query}` : ''}`, file };
}

/** The path is taken as it is, without percent-decoding: folders named by CI systems contain a literal '%2F'. */
function split(url: string): { readonly path: string; readonly query: string } {
  const rest = url.slice(url.indexOf(':') + 1);
  const question = rest.lastIndexOf('?');
  return question < 0
    ? { path: rest, query: '' }
    : { path: rest.slice(0, question), query: rest.slice(question + 1) };
}

/** Reads `sqlite:path?max-bytes=…&min-free=…&patience=…`. Throws `STORE_URL_INVALID`. */
export function parseAddress(url: string): Address {
  const { path, query } = split(url);
  const numbers = { ...defaults, ...readParameters(url, query) };
  refuseNoFile(url, path);
  return Object.freeze({
    url,
    file: resolve(path),
    maxBytes: numbers['max-bytes'],
    minFreeBytes: numbers['min-free']!,
    patienceMs: numbers['patience']!,
  });
}

function readParameters(url: string, query: string): Record<string, number> {
  const given: Record<string, number> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    if (!Object.hasOwn(defaults, name)) throw unknownParameter(url, name);
    if (!/^\d+$/.test(value)) {
      throw invalidUrl(
        url,
        `'${name}' must be a whole number, not '${value}'`,
        'Give bytes or milliseconds.',
      );
    }
    given[name] = Number(value);
  }
  return given;
}

function refuseNoFile(url: string, path: string): void {
  if (path === '') throw invalidUrl(url, 'it names no file', 'Write sqlite:.piton/piton.db, for example.');
  if (path === inMemory) {
    throw invalidUrl(url, 'SQLite in memory is not supported', 'For a store in memory, write memory:');
  }
}

function unknownParameter(url: string, name: string): PitonError {
  const known = Object.keys(defaults);
  const close = nearest(name, known);
  const remedy = close === undefined ? `Known are: ${known.join(', ')}.` : `Did you mean '${close}'?`;
  return invalidUrl(url, `it has an unknown parameter '${name}'`, remedy);
}

function invalidUrl(url: string, what: string, remedy: string): PitonError {
  return new PitonError('STORE_URL_INVALID', `The store URL '${url}' cannot be used: ${what}.`, {
    url,
    remedy,
  });
}
