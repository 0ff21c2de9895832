import { nearest, PitonError } from '../base/index.ts';
import type {
  OpenStoreOptions,
  PreparedRestore,
  RestoreStoreOptions,
  Store,
  StoreAddress,
  StoreOpener,
  StoreResolver,
} from './contract.ts';
import { unsupported } from './refusals.ts';
import { resolveAddress } from './sqlite/address.ts';

interface Kind {
  readonly open: StoreOpener;
  /** For stores that are kept in files. */
  readonly restore?: (url: string, options: RestoreStoreOptions) => Promise<PreparedRestore>;
  readonly check?: (file: string) => Promise<string[]>;
  readonly resolve?: StoreResolver;
}

/** Adapters are loaded when they are used: knowing of them, and what a URL means, costs nothing. */
const kinds = new Map<string, Kind>([
  [
    'sqlite',
    {
      open: async (url, options) => (await import('./sqlite/index.ts')).openSqliteStore(url, options),
      resolve: resolveAddress,
      restore: async (url, options) => (await import('./sqlite/restore.ts')).prepareRestore(url, options),
      check: async (file) => (await import('./sqlite/upkeep.ts')).findDamage({ file }, { withChains: true }),
    },
  ],
  [
    'memory',
    { open: async (url, options) => (await import('./memory/index.ts')).openMemoryStore(url, options) },
  ],
]);

/**
 * Makes URLs of a scheme (`mine` for `mine:…`) open by `opener`. The same opener may be registered again. `resolve`: for a kind of store
 * whose URLs name a path, or that is kept in a file.
 * Throws `STORE_SCHEME_TAKEN` if another one serves the scheme: runs would turn up in a store nobody expects.
 */
export function registerStore(
  scheme: string,
  opener: StoreOpener,
  { resolve }: { readonly resolve?: StoreResolver } = {},
): void {
  const present = kinds.get(scheme);
  if (present !== undefined && present.open !== opener) {
    throw new PitonError('STORE_SCHEME_TAKEN', `The store scheme '${scheme}:' has an opener already.`, {
      scheme,
      remedy: 'Register yours under another scheme.',
    });
  }
  const known = resolve ?? present?.resolve;
  kinds.set(scheme, { open: opener, ...(known && { resolve: known }) });
}

/** What a URL that was written in `directory` means. One that nobody can read is refused by `openStore`. */
export function resolveStore(url: string, directory: string): StoreAddress {
  return kindOf(url)?.resolve?.(url, directory) ?? { url };
}

/** Opens the store a URL names. Throws `STORE_UNKNOWN` for a scheme nobody registered. */
export async function openStore(url: string, options: OpenStoreOptions): Promise<Store> {
  const kind = kindOf(url);
  if (kind === undefined) throw unknownStore(url);
  return kind.open(url, options);
}

/** Makes a store of a backup that can take the place of the one that the URL names. Throws `STORE_UNSUPPORTED`, `BACKUP_UNUSABLE`. */
export async function prepareRestore(url: string, options: RestoreStoreOptions): Promise<PreparedRestore> {
  const kind = kindOf(url);
  if (kind === undefined) throw unknownStore(url);
  if (kind.restore !== undefined) return kind.restore(url, options);
  throw unsupported(
    `The store ${url} is not kept in a file that a backup could replace.`,
    'Use sqlite:<path>.',
  );
}

/** Looks through the file of a store of that kind, or a backup of one: pages, rows and chains. Each text names one damage. */
export async function checkStoreFile(url: string, file: string): Promise<string[]> {
  const check = kindOf(url)?.check;
  if (check !== undefined) return check(file);
  throw unsupported(
    `The store ${url} is not kept in a file that could be looked through.`,
    'Use sqlite:<path>.',
  );
}

function kindOf(url: string): Kind | undefined {
  return kinds.get(schemeOf(url) ?? '');
}

function schemeOf(url: string): string | undefined {
  return /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
}

function unknownStore(url: string): PitonError {
  const scheme = schemeOf(url);
  const known = [...kinds.keys()].sort();
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
