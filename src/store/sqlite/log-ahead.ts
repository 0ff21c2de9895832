import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import { crashPoint } from '../../base/index.ts';

const mostBytes = 1024 * 1024;
const headerBytes = 32;
const frameHeaderBytes = 24;

interface FullLog {
  readonly pages: number;
  readonly pageSize: number;
}

/**
 * Makes the write-ahead log longer than it has to be, by zeros: to sync a file that grows takes about twice as long as to sync one
 * that is written over. To SQLite, zeros are the end of the log. Only the log may be opened so: closing any
 * descriptor of the database or its -shm file gives up the locks that SQLite holds on it.
 */
export class LogAhead {
  readonly #descriptor: number;
  readonly #fullLength: number;
  /** How long it was when it was last looked at. */
  #length: number;

  /** Right after SQLite has opened it. Throws if that cannot be done. */
  constructor(database: string, { pages, pageSize }: FullLog) {
    this.#descriptor = openSync(`${database}-wal`, constants.O_WRONLY | constants.O_NOFOLLOW);
    this.#length = fstatSync(this.#descriptor).size;
    this.#fullLength = headerBytes + pages * (frameHeaderBytes + pageSize);
  }

  /** Only in a transaction that writes: nobody else adds to the log then. */
  grow(): void {
    const { size } = fstatSync(this.#descriptor);
    const missing = Math.min(size, mostBytes, this.#fullLength - size);
    if (size <= this.#length || missing <= 0) return;
    // What does not fit, or fails, SQLite will meet itself: then it is not tried again before the log has grown without it.
    this.#length = size;
    this.#length += this.#write(missing, size);
    crashPoint('store:log-grown');
  }

  #write(bytes: number, at: number): number {
    try {
      return writeSync(this.#descriptor, new Uint8Array(bytes), 0, bytes, at);
    } catch {
      return 0;
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
