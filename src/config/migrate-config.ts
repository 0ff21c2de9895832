import { linkSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { effect, hasCode, randomId } from '../base/index.ts';
import { readText } from './config-file.ts';
import { problem } from './config-source.ts';
import {
  configMigrations,
  newestVersion,
  upgrade,
  versionOf,
  type ConfigMigration,
} from './config-versions.ts';
import { parseConfig, parseDocumentOf } from './parse-config.ts';
import { readSettings } from './read-config-file.ts';

/** What became of a file of an older version. */
export interface MigratedConfig {
  readonly file: string;
  readonly version: number;
  /** The file as it was; absent: it was of the newest version already. */
  readonly copy?: string;
}

/**
 * Writes a file in the newest version, and keeps a copy of it as it was. Killed anywhere, it leaves the old file or the new one, whole.
 * Undefined if there is no file. Throws `CONFIG_INVALID`, `CONFIG_TOO_NEW`.
 */
export async function migrateConfigFile(
  given: string,
  migrations: readonly ConfigMigration[] = configMigrations,
): Promise<MigratedConfig | undefined> {
  const text = readText(given);
  if (text === undefined) return undefined;
  const { document, placeOf } = await parseDocumentOf(text, given);
  const versioned = { document, place: placeOf(['version']) };
  const before = versionOf(versioned, migrations);
  const version = newestVersion(migrations);
  if (before === version) return { file: given, version };
  upgrade(versioned, migrations);
  const written = document.toString();
  // What cannot be read again must not take the place of what could.
  readSettings(await parseConfig(written, given, migrations));
  const file = realpathSync(given);
  const copy = await effect('config.copied', async () => keepCopy(`${file}.v${before}`, text));
  await effect('config.migrated', async () => replace(file, { before: text, after: written }));
  return { file: given, version, copy };
}

/** Under a name that nobody else's text has. */
function keepCopy(name: string, text: string): string {
  for (let number = 1; ; number++) {
    const copy = number === 1 ? `${name}.bak` : `${name}-${number}.bak`;
    if (writeOnce(copy, text) || readFileSync(copy, 'utf8') === text) return copy;
  }
}

function writeOnce(file: string, text: string): boolean {
  const draft = `${file}.${randomId(8)}`;
  try {
    writeFileSync(draft, text, { flag: 'wx', mode: 0o600, flush: true });
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function replace(file: string, { before, after }: { readonly before: string; readonly after: string }): void {
  const draft = `${file}.${randomId(8)}`;
  try {
    writeFileSync(draft, after, { flag: 'wx', mode: statSync(file).mode & 0o777, flush: true });
    if (readFileSync(file, 'utf8') !== before)
      throw problem(file, `it was changed meanwhile, and stays as it is`, `Again: piton config migrate`);
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}
