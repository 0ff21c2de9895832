import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { livenessOf, PitonError, systemClock } from '../../base/index.ts';
import type { JournalEnd } from '../contract.ts';
import { Blocked, isBusy } from './faults.ts';
import { toOwner } from './lease-owner.ts';
import { pragma } from './migrate.ts';
import { applicationId, migrations } from './migrations.ts';
import { text } from './rows.ts';

/** A store that is to be replaced, locked against everybody else until it is released. */
export interface Present {
  readonly isThere: boolean;
  /** Its log is in the file now, and there is none beside it. */
  readonly isReadable: boolean;
  /** The ends of its journals by run; undefined if they cannot be read. */
  readonly runs: ReadonlyMap<string, JournalEnd> | undefined;
  /** The number of the commit that was added last: another one if somebody has written since. */
  readonly newest: string | undefined;
  release(): void;
}

const nothing = { isReadable: false, runs: undefined, newest: undefined, release() {} };

/** Throws `STORE_IN_USE` if a driver lives on it, and busy if anybody has it open. */
export function lockPresent(file: string): Present {
  if (!existsSync(file)) return { isThere: false, ...nothing };
  const database = openAlone(file);
  if (database === undefined) return { isThere: true, ...nothing };
  try {
    refuseDriven(database, file);
    return { isThere: true, isReadable: true, ...contentOf(database), release: () => database.close() };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Out of the log and into the file, which nobody can do while others have it open. Undefined if it is no database any more. */
function openAlone(file: string): DatabaseSync | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 0, defensive: true });
    const mode = database.prepare('PRAGMA journal_mode = DELETE').get()?.['journal_mode'];
    if (mode !== 'delete') throw new Blocked('another process has it open');
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database?.close();
    if (isBusy(error)) throw error;
    return undefined;
  }
}

function refuseDriven(database: DatabaseSync, file: string): void {
  for (const owner of ownersIn(database)) {
    if (livenessOf(owner) === 'dead') continue;
    const { pid, host } = owner;
    throw new PitonError('STORE_IN_USE', `The store ${file} is in use by process ${pid} on ${host}.`, {
      file,
      pid,
      host,
      remedy: 'Wait for it or end it, then try again.',
    });
  }
}

function ownersIn(database: DatabaseSync): ReturnType<typeof toOwner>[] {
  try {
    return database
      .prepare('SELECT owner FROM leases WHERE token IS NOT NULL AND expires_at > ?')
      .all(systemClock.now())
      .map((row) => toOwner(text(row, 'owner')));
  } catch {
    // A table that cannot be read: then nobody drives by it either.
    return [];
  }
}

const ends = `SELECT runs.run, head.seq, head.hash FROM runs JOIN commits AS head
              ON head.number = (SELECT number FROM commits WHERE run_number = runs.number ORDER BY seq DESC LIMIT 1)`;

function contentOf(database: DatabaseSync): Pick<Present, 'runs' | 'newest'> {
  try {
    const isOurs = pragma(database, 'application_id') === applicationId;
    if (!isOurs || pragma(database, 'user_version') !== migrations.length)
      return { runs: undefined, newest: undefined };
    const newest = database.prepare('SELECT CAST(max(number) AS TEXT) AS newest FROM commits').get()?.[
      'newest'
    ];
    const runs = database.prepare(ends).all();
    return {
      newest: String(newest),
      runs: new Map(
        runs.map((row) => [text(row, 'run'), { seq: Number(row['seq']), hash: text(row, 'hash') }]),
      ),
    };
  } catch {
    return { runs: undefined, newest: undefined };
  }
}
