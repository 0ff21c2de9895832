import { constants, linkSync, lstatSync, mkdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { asError, assertOwnFile, effect, PitonError, randomId, systemClock } from '../../base/index.ts';
import type { PreparedRestore, RestoreStoreOptions } from '../contract.ts';
import { parseAddress } from './address.ts';
import { syncFile } from './back-up.ts';
import { isFull } from './faults.ts';
import { syncFolder } from './medium.ts';
import { pragma } from './migrate.ts';
import { applicationId, migrations } from './migrations.ts';
import { patiently } from './patience.ts';
import { lockPresent, type Present } from './present-store.ts';
import { findDamage } from './upkeep.ts';

/**
 * Makes a store of a backup, in a folder of its own beside the one that it is to replace. Nothing of that one is changed before
 * `replace`, which puts the new one in its place by one rename: whoever is killed at any moment leaves the old one or the new one.
 * Throws `BACKUP_UNUSABLE`, `STORE_IN_USE`, `STORE_BUSY`.
 */
export async function prepareRestore(
  url: string,
  { backup: given }: RestoreStoreOptions,
): Promise<PreparedRestore> {
  const address = parseAddress(url);
  const backup = resolve(given);
  const file = realFile(address.file);
  assertUsable(backup, file);
  // Said before the work is done; asked again, under the lock, before anything is replaced.
  const present = await patiently(address, () => lockPresent(file));
  present.release();
  const folder = join(dirname(file), `.restoring-${randomId(8)}`);
  const copy = join(folder, basename(file));
  const discard = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    mkdirSync(folder, { mode: 0o700 });
    await effect('restore.copied', () => copyBackup(backup, copy));
    assertKnown(backup, copy, present);
  } catch (error) {
    discard();
    throw restoreError(error, backup);
  }
  return {
    url: `sqlite:${copy}${copy.includes('?') ? '?' : ''}`,
    file: copy,
    runs: present.runs,
    replace: () => replace({ file, copy, url, backup }, present),
    discard: async () => discard(),
  };
}

/** SQLite goes on where a link leads, and keeps what lies beside it there. */
function realFile(file: string): string {
  return lstatSync(file, { throwIfNoEntry: false }) === undefined ? file : realpathSync(file);
}

function assertUsable(backup: string, file: string): void {
  const found = lstatSync(backup, { throwIfNoEntry: false });
  if (found === undefined) throw unusable(backup, 'is not there');
  if (found.isSymbolicLink()) throw unusable(backup, 'is a link');
  if (!found.isFile()) throw unusable(backup, 'is no file');
  if (realpathSync(backup) === file) throw unusable(backup, 'is the store itself');
  assertOwnFile(backup);
}

/** With its log, if it has one: it may be a store that was put aside. */
async function copyBackup(backup: string, copy: string): Promise<void> {
  for (const ending of ['', '-wal']) {
    if (ending !== '' && lstatSync(`${backup}${ending}`, { throwIfNoEntry: false })?.isFile() !== true)
      continue;
    await copyFile(
      `${backup}${ending}`,
      `${copy}${ending}`,
      constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE,
    );
  }
}

async function assertUndamaged(backup: string, copy: string): Promise<void> {
  const [first] = await findDamage({ file: copy }, { withChains: true });
  if (first !== undefined) throw unusable(backup, `is damaged (${first})`);
}

/** It is a store, of a format that this version can read, and not of another one. Its leases are those of the past. */
function assertKnown(backup: string, copy: string, present: Present): void {
  const database = new DatabaseSync(copy, { timeout: 0, defensive: true });
  try {
    const version = pragma(database, 'user_version');
    if (pragma(database, 'application_id') !== applicationId) throw unusable(backup, 'is no store of Piton');
    if (version > migrations.length)
      throw unusable(backup, `has format ${version}, and this version of Piton knows ${migrations.length}`);
    // What is in its log is brought into the file by this; only the file is put in place.
    // Who held a lease when it was made holds none of this one.
    database.exec('PRAGMA journal_mode = DELETE; UPDATE leases SET owner = NULL, token = NULL');
    assertRelated(backup, database, present);
  } finally {
    database.close();
  }
}

/** Two stores that have nothing in common: whoever restores one over the other has the wrong file. */
function assertRelated(backup: string, database: DatabaseSync, { runs }: Present): void {
  const ids = database
    .prepare('SELECT run FROM runs')
    .all()
    .map(({ run }) => String(run));
  if (runs === undefined || runs.size === 0 || ids.length === 0 || ids.some((run) => runs.has(run))) return;
  throw new PitonError(
    'BACKUP_UNUSABLE',
    `The backup ${backup} has no run in common with the store: it is of another one.`,
    {
      file: backup,
      remedy:
        'Name a backup of this store. If you mean this one, move the store away first, with its -wal file.',
    },
  );
}

interface Places {
  readonly url: string;
  readonly file: string;
  readonly copy: string;
  readonly backup: string;
}

async function replace(
  { url, file, copy, backup }: Places,
  before: Present,
): Promise<{ readonly aside?: string }> {
  leaveLogMode(copy);
  // It may have been brought to another format, and its runs were joined with what has happened since.
  await assertUndamaged(backup, copy);
  syncFile(copy);
  const present = await patiently(parseAddress(url), () => lockPresent(file));
  try {
    if (present.newest !== before.newest) throw changed(file);
    const aside = await effect('restore.kept', async () => keep(file, present));
    await effect('restore.replaced', async () => renameSync(copy, file));
    syncFolder(dirname(file));
    return aside === undefined ? {} : { aside };
  } finally {
    present.release();
  }
}

/** Whoever has brought it up to date has closed it: without a log, it is one file. */
function leaveLogMode(file: string): void {
  const database = new DatabaseSync(file, { timeout: 0 });
  database.exec('PRAGMA journal_mode = DELETE');
  database.close();
}

/** Nothing that may be damaged is deleted: it is called otherwise from now on, with its log where that could not be read. */
function keep(file: string, { isThere, isReadable }: Present): string | undefined {
  if (!isThere) return undefined;
  const time = new Date(systemClock.now()).toISOString().replaceAll(/[-:.]/g, '');
  const aside = `${file}.replaced-${time}`;
  linkSync(file, aside);
  // A log that stayed would be taken for one of the new store. Whoever can be read has none left.
  for (const ending of isReadable ? [] : ['-wal', '-journal']) {
    if (lstatSync(`${file}${ending}`, { throwIfNoEntry: false }) !== undefined)
      renameSync(`${file}${ending}`, `${aside}${ending}`);
  }
  rmSync(`${file}-shm`, { force: true });
  syncFolder(dirname(file));
  return aside;
}

function changed(file: string): PitonError {
  return new PitonError(
    'STORE_IN_USE',
    `The store ${file} was written to while the backup was looked at; nothing was replaced.`,
    {
      file,
      remedy: 'Let whoever writes to it finish, then try again.',
    },
  );
}

function unusable(backup: string, why: string): PitonError {
  return new PitonError('BACKUP_UNUSABLE', `The backup ${backup} ${why}: nothing was changed.`, {
    file: backup,
    remedy: 'Name another one: piton store info lists them.',
  });
}

function restoreError(error: unknown, backup: string): PitonError {
  if (error instanceof PitonError) return error;
  const said = asError(error).message;
  const isRoom = isFull(error) || (error as NodeJS.ErrnoException).code === 'ENOSPC';
  if (!isRoom) return unusable(backup, `cannot be read (${said})`);
  return new PitonError(
    'BACKUP_FAILED',
    `The backup ${backup} could not be copied (${said}): nothing was changed.`,
    {
      file: backup,
      cause: error,
      remedy: 'Free space on the disk of the store, and try again.',
    },
  );
}
