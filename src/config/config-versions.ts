import { PitonError } from '../base/index.ts';
import { problem } from './config-source.ts';

/** A file as it is written, with all of its comments: the part of a document of YAML that migrations need. */
export interface ConfigDocument {
  get(key: string): unknown;
  set(key: string, value: unknown): void;
  delete(key: string): boolean;
  has(key: string): boolean;
  toJS(): unknown;
  toString(): string;
}

/** Makes a file of one version one of the next. What it leaves alone, comments too, stays as it was written. */
export type ConfigMigration = (document: ConfigDocument) => void;

/** The first is from version 1 to 2. So far there is only one version. */
export const configMigrations: readonly ConfigMigration[] = [];

export function newestVersion(migrations: readonly ConfigMigration[]): number {
  return migrations.length + 1;
}

interface Versioned {
  readonly document: ConfigDocument;
  /** File and line of its version. */
  readonly place: string;
}

/** Of a file as it is written; without one it is the first. Throws `CONFIG_INVALID`, `CONFIG_TOO_NEW`. */
export function versionOf({ document, place }: Versioned, migrations: readonly ConfigMigration[]): number {
  // What is no mapping has none, and is refused later.
  const version: unknown = document.has('version') ? document.get('version') : 1;
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1)
    throw problem(place, 'version must be a whole number, such as 1');
  const newest = newestVersion(migrations);
  if (version <= newest) return version;
  const known = newest === 1 ? 'version 1' : `the versions up to ${newest}`;
  throw new PitonError(
    'CONFIG_TOO_NEW',
    `${place}: version ${version} is of a newer Piton: this one knows ${known}.`,
    { place, version, remedy: 'Update Piton, or write the file for this one.' },
  );
}

/** Changes the document in memory to the newest version. */
export function upgrade(versioned: Versioned, migrations: readonly ConfigMigration[]): void {
  const { document } = versioned;
  const version = versionOf(versioned, migrations);
  for (const migrate of migrations.slice(version - 1)) migrate(document);
  if (version < newestVersion(migrations)) document.set('version', newestVersion(migrations));
}
