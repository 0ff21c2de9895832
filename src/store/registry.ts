import { nearest, PitonError } from '../base/index.ts';
import type { OpenStoreOptions, Store, StoreOpener } from './contract.ts';

const openers = new Map<string, StoreOpener>();

/**
 * Makes URLs of a scheme (`sqlite` for `sqlite:…`) open by `opener`. The same opener may be registered again.
 * Throws `STORE_SCHEME_TAKEN` if another one serves the scheme: runs would turn up in a store nobody expects.
 */
export function registerStore(scheme: string, opener: StoreOpener): void {
  const present = openers.get(scheme);
  if (present !== undefined && present !== opener) {
    throw new PitonError('STORE_SCHEME_TAKEN', `The store scheme '${scheme}:' has an opener already.`, {
      scheme,
      remedy: 'Register yours under another scheme.',
    });
  }
  openers.set(scheme, opener);
}

/** Opens the store a URL names. Throws `STORE_UNKNOWN` for a scheme nobody registered. */
export async function openStore(url: string, options: OpenStoreOptions): Promise<Store> {
  const opener = openers.get(schemeOf(url) ?? '');
  if (opener === undefined) throw unknownStore(url);
  return opener(url, options);
}

function schemeOf(url: string): string | undefined {
  return /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
}

function unknownStore(url: string): PitonError {
  const scheme = schemeOf(url);
  const known = [...openers.keys()].sort();
  const close = scheme === undefined ? undefined : nearest(scheme, known);
  const what =
    scheme === undefined ? 'names no kind of store' : `names an unknown kind of store, '${scheme}:'`;
  return new PitonError('STORE_UNKNOWN', `The store URL '${url}' ${what}.`, {
    url,
    known,
    remedy: remedyFor(url, { scheme, close, known }),
  });
}

interface Guess {
  readonly scheme: string | undefined;
  readonly close: string | undefined;
  readonly known: readonly string[];
}

function remedyFor(url: string, { scheme, close, known }: Guess): string {
  if (close !== undefined) return `Did you mean '${close}:'?`;
  if (scheme === undefined && known.includes('sqlite')) return `For a file, write 'sqlite:${url}'.`;
  return `Known are: ${known.map((name) => `${name}:`).join(', ') || 'none'}.`;
}
