import { realpathSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { crashPoint, makePrivateFolder, sha256, stateFolder, systemClock } from '../base/index.ts';
import type { Environment } from './task-environment.ts';

/** A program that prepares a file when it is first started, and may not do so twice at once. */
export interface Starting {
  readonly file: string;
  /** As an absolute path: after an update it prepares the file again. */
  readonly program: string;
  /** Of Piton: all of this user share the queue. */
  readonly environment: Environment;
}

/** The right to be started alone; the others wait until it is used or given up. */
export interface FirstStart {
  /** The file is prepared: nobody has to wait for it any more. */
  done(): void;
  /** It ended before that: the next one is the first. */
  giveUp(): void;
}

/** Whoever has waited so long starts all the same: the first may hang, and mostly two do not meet. */
const patienceMs = 120_000;
const pollMs = 100;
const busy = 5;

/**
 * Waits for the turn of a program. Undefined if it need not be alone: the file is there, and this program has used it.
 * The lock is that of a database, since it ends with the process that holds it. Where there cannot be one, nobody waits.
 */
export async function firstStart(starting: Starting, signal: AbortSignal): Promise<FirstStart | undefined> {
  try {
    const database = await openQueue(starting);
    const isTaken = await takeTurn(database, starting, signal);
    if (isTaken && !signal.aborted) return heldBy(database, starting, signal);
    database.close();
  } catch {
    // Without a folder of its own it is as without a queue.
  }
  return undefined;
}

/** One for each machine, for homes that several of them share. */
async function openQueue({ file, environment }: Starting): Promise<DatabaseSync> {
  const folder = stateFolder('first-starts', environment);
  makePrivateFolder(folder);
  const { DatabaseSync: Database } = await import('node:sqlite');
  return new Database(join(folder, `${sha256(`${hostname()}\n${file}`).slice(0, 32)}.db`), { timeout: 0 });
}

/** False if nobody has to be alone any more, or it took too long. */
async function takeTurn(database: DatabaseSync, starting: Starting, signal: AbortSignal): Promise<boolean> {
  const until = systemClock.elapsed() + patienceMs;
  while (!signal.aborted && systemClock.elapsed() < until) {
    if (tryToLock(database)) {
      crashPoint('engine:after-first-start-taken');
      if (!isPrepared(database, starting)) return true;
      database.exec('ROLLBACK');
      return false;
    }
    await pause(pollMs, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

function tryToLock(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === busy) return false;
    throw error;
  }
}

function isPrepared(database: DatabaseSync, starting: Starting): boolean {
  database.exec('CREATE TABLE IF NOT EXISTS prepared (state TEXT NOT NULL) STRICT');
  const known = database.prepare('SELECT state FROM prepared').get()?.['state'];
  const state = stateOf(starting);
  return state !== undefined && known === state;
}

/** Which file it is, and which program: one that was replaced is another. Undefined while there is no file. */
function stateOf({ file, program }: Starting): string | undefined {
  const path = realpathSync(program);
  const { ino, size, ctimeMs } = statSync(path);
  const made = statSync(file, { throwIfNoEntry: false })?.ino;
  return made === undefined ? undefined : JSON.stringify([made, path, ino, size, ctimeMs]);
}

function heldBy(database: DatabaseSync, starting: Starting, signal: AbortSignal): FirstStart {
  const letGo = (end: () => void): void => {
    signal.removeEventListener('abort', giveUp);
    if (!database.isOpen) return;
    try {
      end();
    } catch {
      // It is not remembered, and the next one is alone as well.
    }
    database.close();
  };
  const giveUp = (): void => letGo(() => {});
  signal.addEventListener('abort', giveUp);
  return { giveUp, done: () => letGo(() => remember(database, starting)) };
}

function remember(database: DatabaseSync, starting: Starting): void {
  const state = stateOf(starting);
  if (state === undefined) return;
  database.exec('DELETE FROM prepared');
  database.prepare('INSERT INTO prepared (state) VALUES (?)').run(state);
  crashPoint('engine:before-first-start-remembered');
  database.exec('COMMIT');
}
