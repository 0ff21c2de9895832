import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { crashPoint, livenessOf, PitonError, systemClock } from '../../base/index.ts';
import type { LeaseOwner } from '../../model/index.ts';
import { isBusy, storeError, type StorePlace } from './faults.ts';
import { keepOldFormat } from './keep-old-format.ts';
import { toOwner } from './lease-owner.ts';
import { applicationId, migrations } from './migrations.ts';
import { text } from './rows.ts';
import { headSealOf, sealOf, type Head } from './seal.ts';

/** A store that is opened. */
interface Migrated extends StorePlace {
  /** It was made from a backup: nothing has to be kept of it. */
  readonly isCopy?: boolean | undefined;
}

/**
 * Brings the schema to what this version knows, in one transaction. A new file gets all of it; of a store of an earlier format a backup
 * is made first.
 */
export function migrate(database: DatabaseSync, place: Migrated): void {
  const { file } = place;
  database.exec('BEGIN IMMEDIATE');
  // Another process may have migrated it between our look and our lock.
  const version = pragma(database, 'user_version');
  try {
    if (version > migrations.length) throw tooNew(file, version);
    if (version === migrations.length) return;
    if (version > 0) prepareMoving(database, place, version);
    defineSeals(database);
    for (const migration of migrations.slice(version)) database.exec(migration);
    database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`);
    crashPoint('store:before-migrated');
    database.exec('COMMIT');
    crashPoint('store:after-migrated');
  } catch (error) {
    const isSaid = version === 0 || isBusy(error) || error instanceof PitonError;
    throw isSaid ? error : notMigrated(file, error);
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK');
  }
}

/** The functions that migrations seal with. `seal_of` is that of format 5. */
export function defineSeals(database: DatabaseSync): void {
  const varargs = { varargs: true };
  database.function('seal_of', varargs, (...values: unknown[]) => sealOf(values[6], values));
  database.function('row_seal_of', varargs, (...values: unknown[]) => sealOf(values[4], values));
  database.function('head_seal_of', varargs, (...values: unknown[]) => {
    const [run, seq, hash, at, settled, total] = values;
    return headSealOf({ run, seq, hash, at, settled, total } as Head);
  });
}

export function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}

export function tooNew(file: string, version: number): PitonError {
  return new PitonError(
    'STORE_TOO_NEW',
    `The store ${file} has format ${version}; this version of Piton knows ${migrations.length}.`,
    { file, version, remedy: 'Use the version of Piton that wrote it, or a later one.' },
  );
}

/** Under the lock of whoever changes the format. Throws `STORE_IN_USE` or `STORE_FULL`. */
function prepareMoving(database: DatabaseSync, { isCopy, ...place }: Migrated, version: number): void {
  assertMovable(database, place.file);
  if (isCopy !== true) keepOldFormat(place, version);
}

/** Throws `STORE_IN_USE` or `STORE_FULL`. */
function assertMovable(database: DatabaseSync, file: string): void {
  const held = database.prepare(`SELECT owner FROM leases WHERE token IS NOT NULL AND expires_at > ?`);
  const owners = held.all(systemClock.now()).map((row) => toOwner(text(row, 'owner')));
  const living = owners.find((owner) => livenessOf(owner) !== 'dead');
  if (living !== undefined) throw inUse(file, living);
  // It is kept as it was, and tables are copied, first into the log and from there into the file.
  const needed = 3 * pragma(database, 'page_count') * pragma(database, 'page_size');
  const { bavail, bsize } = statfsSync(dirname(file));
  if (bavail * bsize < needed) throw noRoom(file, needed);
}

/** It would find a schema that it does not know, and take the store for damaged. */
function inUse(file: string, { pid, host }: LeaseOwner): PitonError {
  return new PitonError(
    'STORE_IN_USE',
    `The store ${file} was made by an earlier version of Piton, which still works on it: process ${pid} on ${host}.`,
    {
      file,
      pid,
      host,
      remedy: 'Wait for it or end it, then try again: the store is then brought to the new format.',
    },
  );
}

function noRoom(file: string, needed: number): PitonError {
  return new PitonError(
    'STORE_FULL',
    `To bring the store ${file} to the format of this version, ${needed} bytes have to be free on its disk; nothing was changed.`,
    { file, needed, remedy: 'Free that much space there, or go on with the earlier version of Piton.' },
  );
}

function notMigrated(file: string, cause: unknown): PitonError {
  const { code } = storeError(cause, { file });
  const said = cause instanceof Error ? cause.message : String(cause);
  const message = `The store ${file} could not be brought to the format of this version (${said}); nothing was changed.`;
  return new PitonError(code, message, {
    file,
    cause,
    remedy: 'Verify, repair or back it up with the earlier version of Piton, then try again.',
  });
}
