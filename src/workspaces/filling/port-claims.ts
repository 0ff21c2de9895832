import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makePrivateFolder, PitonError } from '../../base/index.ts';
import type { PortBlock } from '../contract.ts';
import { encodeName } from '../git/index.ts';

export interface ClaimSettings {
  /** One for all Pitons of this user. */
  readonly folder: string;
  readonly first: number;
  readonly last: number;
}

export interface Claiming {
  /** Of the place: there is one at a path, and its ports stay with the path. */
  readonly path: string;
  readonly count: number;
  /** The port to look from. */
  readonly from: number;
  /** Ports that somebody else listens on. */
  readonly taken: ReadonlySet<number>;
}

export interface Claim extends PortBlock {
  /** Nobody else was found to listen there when it was given. */
  readonly isChecked: boolean;
}

const schema = `
  CREATE TABLE IF NOT EXISTS claims (
    port       INTEGER PRIMARY KEY,
    path       TEXT NOT NULL,
    is_checked INTEGER NOT NULL
  ) STRICT`;

/**
 * Who has which ports. A database, since its lock ends with the process that holds it: of files and folders one would have to
 * find out whether their owner lives. One for each machine, for homes that several of them share.
 */
export function withClaims<T>({ folder }: ClaimSettings, use: (claims: DatabaseSync) => T): T {
  let database: DatabaseSync | undefined;
  try {
    makePrivateFolder(folder);
    database = new DatabaseSync(join(folder, `${encodeName(hostname())}.db`), { timeout: 10_000 });
    database.exec(schema);
    return inTransaction(database, use);
  } catch (error) {
    throw error instanceof PitonError ? error : unusable(folder, error);
  } finally {
    database?.close();
  }
}

function inTransaction<T>(database: DatabaseSync, use: (claims: DatabaseSync) => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = use(database);
    database.exec('COMMIT');
    return result;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

/** The block it has; or the next that nobody has. */
export function claimPorts(database: DatabaseSync, settings: ClaimSettings, claiming: Claiming): Claim {
  const own = ownBlock(database, claiming);
  if (own !== undefined) return own;
  dropClaims(database, claiming.path);
  dropStale(database);
  const first = findRoom(claimedPorts(database), settings, claiming);
  if (first === undefined) throw noRoom(settings, claiming);
  const insert = database.prepare('INSERT INTO claims (port, path, is_checked) VALUES (?, ?, 0)');
  for (let port = first; port < first + claiming.count; port++) insert.run(port, claiming.path);
  return { first, count: claiming.count, isChecked: false };
}

function ownBlock(database: DatabaseSync, { path, count }: Claiming): Claim | undefined {
  const select = 'SELECT port, is_checked FROM claims WHERE path = ? ORDER BY port';
  const rows = database.prepare(select).all(path) as { port: number; is_checked: number }[];
  if (rows.length !== count) return undefined;
  return { first: rows[0]!.port, count, isChecked: rows.every((row) => row.is_checked === 1) };
}

export function markChecked(database: DatabaseSync, path: string): void {
  database.prepare('UPDATE claims SET is_checked = 1 WHERE path = ?').run(path);
}

export function dropClaims(database: DatabaseSync, path: string): void {
  database.prepare('DELETE FROM claims WHERE path = ?').run(path);
}

/** Those of places that are gone. */
function dropStale(database: DatabaseSync): void {
  const rows = database.prepare('SELECT DISTINCT path FROM claims').all() as { path: string }[];
  for (const { path } of rows) if (!existsSync(path)) dropClaims(database, path);
}

function claimedPorts(database: DatabaseSync): Set<number> {
  const rows = database.prepare('SELECT port FROM claims').all() as { port: number }[];
  return new Set(rows.map(({ port }) => port));
}

/** The first port of so many in a row, from `from` on and then from the start. */
function findRoom(
  claimed: ReadonlySet<number>,
  { first, last }: ClaimSettings,
  { count, from, taken }: Claiming,
): number | undefined {
  const isFree = (port: number): boolean => !claimed.has(port) && !taken.has(port);
  const room = last - count + 1 - first + 1;
  for (let tried = 0; tried < room; tried++) {
    const start = first + ((from - first + tried) % room);
    const ports = Array.from({ length: count }, (_, index) => start + index);
    if (ports.every(isFree)) return start;
  }
  return undefined;
}

function noRoom({ first, last, folder }: ClaimSettings, { path, count }: Claiming): PitonError {
  return new PitonError(
    'PORTS_UNAVAILABLE',
    `There are no ${count} free ports in a row between ${first} and ${last} for ${path}.`,
    { path, folder, remedy: 'Free some with `piton workspace clean`, or ask for fewer in `setup.ports`.' },
  );
}

function unusable(folder: string, cause: unknown): PitonError {
  return new PitonError('PORTS_UNAVAILABLE', `Ports are shared out in ${folder}, and that cannot be used.`, {
    folder,
    cause,
    remedy: 'Make it writable, or set XDG_STATE_HOME to a folder that is.',
  });
}
