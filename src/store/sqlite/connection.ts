import { lstatSync, realpathSync, statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { crashPoint, PitonError } from '../../base/index.ts';
import { storeClosed, storeGone } from '../refusals.ts';
import type { Address } from './address.ts';
import { Blocked } from './faults.ts';
import { LogAhead } from './log-ahead.ts';
import { logPages } from './log-pages.ts';
import { migrate, pragma, tooNew } from './migrate.ts';
import { applicationId, migrations } from './migrations.ts';
import { prepareStatements, type Statements } from './statements.ts';

export interface ConnectionSettings extends Address {
  readonly durability: 'full' | 'process';
  /** The folder of its backups, if it is not beside the store. */
  readonly backups?: string | undefined;
  /** It was made from a backup: nothing is kept of it when its format is changed. */
  readonly isCopy?: boolean | undefined;
}

/** Where tests put the faults that no disk produces on request. */
export interface FaultSeam {
  /** Runs the given COMMIT; may fail before or after doing so. */
  commit(statement: StatementSync): void;
}

export const soundDisk: FaultSeam = { commit: (statement) => void statement.run() };

interface Open {
  readonly database: DatabaseSync;
  readonly statements: Statements;
  readonly log: LogAhead | undefined;
}

/**
 * The one connection of a store. It opens itself at first use, and anew after it was discarded, so everything that
 * touches it may throw that the database is busy: callers go through `patiently`.
 */
export class Connection {
  readonly settings: ConnectionSettings;
  readonly #seam: FaultSeam;
  #open: Open | undefined;
  #isClosed = false;
  /** Of the file that was opened first. */
  #place: string | undefined;

  constructor(settings: ConnectionSettings, seam: FaultSeam) {
    this.settings = settings;
    this.#seam = seam;
  }

  get statements(): Statements {
    if (this.#isClosed) throw storeClosed(this.settings.url);
    if (this.#open === undefined) {
      // To open it again would make an empty one.
      this.assertThere();
      const before = placeOf(this.settings.file);
      const open = openDatabase(this.settings);
      const place = placeOf(this.settings.file);
      // A backup may have been put in its place meanwhile: then what was opened is the one that was put aside.
      if (before.includes(':') && before !== place) {
        close(open);
        throw new Blocked('the store was replaced while it was opened');
      }
      this.#open = open;
      this.#place ??= place;
    }
    return this.#open.statements;
  }

  /**
   * What is written to a file that was deleted is gone as soon as it is closed, and SQLite says nothing of that; nor if there is another
   * one of that name by now.
   */
  isThere(): boolean {
    return this.#place === undefined || [this.#place, 'nowhere'].includes(placeOf(this.settings.file));
  }

  /** Throws `STORE_GONE`. */
  assertThere(): void {
    if (!this.isThere()) throw storeGone(this.settings.file);
  }

  get inTransaction(): boolean {
    return this.#open?.database.isTransaction ?? false;
  }

  commit(): void {
    this.#open?.log?.grow();
    crashPoint('store:before-commit');
    this.#seam.commit(this.statements.commit);
    crashPoint('store:after-commit');
  }

  /** Gives up a connection that cannot be trusted any more; an open transaction is rolled back. */
  discard(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open !== undefined) close(open);
  }

  /** For good: a read that is still waiting for a lock must not open it again. */
  close(): void {
    this.#isClosed = true;
    this.discard();
  }
}

function close({ log, database }: Open): void {
  log?.close();
  database.close();
}

/** Tells a file from another of the same name. A link that leads nowhere may be put right again. */
function placeOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found !== undefined) return `${found.dev}:${found.ino}`;
  return lstatSync(file, { throwIfNoEntry: false }) === undefined ? 'gone' : 'nowhere';
}

function openDatabase(settings: ConnectionSettings): Open {
  // Busy timeout 0: whoever waits for a lock waits outside, where the event loop goes on.
  const database = new DatabaseSync(settings.file, { timeout: 0, defensive: true });
  try {
    const version = checkOrigin(database, settings.file);
    // Before anything is written: afterwards only making the whole file anew could change it.
    if (version === 0) database.exec('PRAGMA auto_vacuum = INCREMENTAL');
    configure(database, settings);
    if (version < migrations.length) migrate(database, settings);
    // Last: what is moved takes more room for a while than it is granted.
    if (settings.maxBytes !== undefined) limitSize(database, settings.maxBytes);
    return { database, statements: prepareStatements(database), log: logOf(database, settings) };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Where syncs are waited for. Without it, they take longer. */
function logOf(database: DatabaseSync, { durability, file }: ConnectionSettings): LogAhead | undefined {
  if (durability !== 'full') return undefined;
  try {
    return new LogAhead(realpathSync(file), {
      pages: logPages,
      pageSize: pragma(database, 'page_size'),
    });
  } catch {
    return undefined;
  }
}

/** The schema version; 0 for a new file. Nothing has been written to the file before this. */
function checkOrigin(database: DatabaseSync, file: string): number {
  const version = pragma(database, 'user_version');
  const isNew = database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
  if (!isNew && pragma(database, 'application_id') !== applicationId) throw foreign(file);
  if (version > migrations.length) throw tooNew(file, version);
  return isNew ? 0 : version;
}

function configure(database: DatabaseSync, settings: ConnectionSettings): void {
  const mode = database.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode'];
  if (mode !== 'wal') throw withoutLog(settings.file, String(mode));
  // In WAL mode NORMAL loses the newest commits with the power, but none with a process. fullfsync matters on macOS only.
  database.exec(settings.durability === 'full' ? 'PRAGMA synchronous = FULL' : 'PRAGMA synchronous = NORMAL');
  if (settings.durability === 'full') database.exec('PRAGMA fullfsync = ON');
  database.exec(`PRAGMA wal_autocheckpoint = ${logPages}; PRAGMA journal_size_limit = 67108864`);
  database.exec('PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF');
}

function limitSize(database: DatabaseSync, maxBytes: number): void {
  const pages = Math.max(1, Math.floor(maxBytes / pragma(database, 'page_size')));
  database.exec(`PRAGMA max_page_count = ${pages}`);
}

function foreign(file: string): PitonError {
  return new PitonError(
    'STORE_NOT_A_DATABASE',
    `The file ${file} is an SQLite database of another program.`,
    {
      file,
      remedy: 'Name another file for the store.',
    },
  );
}

function withoutLog(file: string, mode: string): PitonError {
  return new PitonError(
    'STORE_UNREADABLE',
    `The store ${file} cannot be used with a write-ahead log (journal mode '${mode}').`,
    { file, mode, remedy: 'Put it on a local disk that supports shared memory, and check its permissions.' },
  );
}
