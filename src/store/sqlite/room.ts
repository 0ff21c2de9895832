import { randomFillSync } from 'node:crypto';
import { rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { hasCode, systemClock } from '../../base/index.ts';
import type { Address } from './address.ts';
import type { Connection } from './connection.ts';
import type { Statements } from './statements.ts';

const ballastBytes = 1024 * 1024;
const freshnessMs = 1_000;
/** Whoever only looks something up need not write a file for that. */
const ballastDelayMs = 1_000;

/**
 * Watches the space a store has left, and, once it has been open for a moment, keeps a ballast file beside it: when the
 * disk is full that is given up, so that there is room to write how things ended.
 */
export class Room {
  readonly #connection: Connection;
  #answer = true;
  #answeredAt = -Infinity;
  #keepsBallast = false;
  readonly #timer: NodeJS.Timeout;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.hasRoom();
    this.#timer = setTimeout(() => this.#keepBallast(), ballastDelayMs);
    this.#timer.unref();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #keepBallast(): void {
    this.#keepsBallast = true;
    this.#answeredAt = -Infinity;
    this.hasRoom();
  }

  /** Looks at the disk once a second at most. */
  hasRoom(): boolean {
    if (systemClock.elapsed() - this.#answeredAt < freshnessMs) return this.#answer;
    this.#answeredAt = systemClock.elapsed();
    return (this.#answer = this.#look());
  }

  releaseBallast(): void {
    this.#answeredAt = -Infinity;
    rmSync(ballastOf(this.#connection.settings), { force: true });
  }

  #look(): boolean {
    const { settings } = this.#connection;
    try {
      const freeBytes = freeOnDisk(settings.file);
      const isAmple = freeBytes >= settings.minFreeBytes + 2 * ballastBytes;
      if (this.#keepsBallast && isAmple) layBallast(ballastOf(settings));
      return freeBytes >= settings.minFreeBytes && this.#isWithinQuota();
    } catch {
      // Whatever keeps us from looking will be named, with its file, by the next read or write.
      return this.#answer;
    }
  }

  /** Of a small quota, a tenth is floor enough. */
  #isWithinQuota(): boolean {
    const { maxBytes, minFreeBytes } = this.#connection.settings;
    if (maxBytes === undefined) return true;
    return freeInQuota(this.#connection.statements) >= Math.min(minFreeBytes, maxBytes / 10);
  }
}

function ballastOf({ file }: Address): string {
  return `${file}.ballast`;
}

function freeOnDisk(file: string): number {
  const { bavail, bsize } = statfsSync(dirname(file));
  return bavail * bsize;
}

function freeInQuota(statements: Statements): number {
  const limit = Number(statements.maxPageCount.get()?.['max_page_count']);
  const used = Number(statements.pageCount.get()?.['page_count']);
  const reusable = Number(statements.freePageCount.get()?.['freelist_count']);
  return (limit - used + reusable) * Number(statements.pageSize.get()?.['page_size']);
}

/** Random bytes, because a file system that compresses would store zeros in no space at all. */
function layBallast(file: string): void {
  if (statSync(file, { throwIfNoEntry: false }) !== undefined) return;
  try {
    writeFileSync(file, randomFillSync(new Uint8Array(ballastBytes)), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    // Without ballast everything works but the last words on a full disk; a half-written one would be of no use.
    if (!hasCode(error, 'EEXIST')) rmSync(file, { force: true });
  }
}
