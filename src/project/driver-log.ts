import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { cleanText, hasCode, makePrivateFolder, PitonError } from '../base/index.ts';

const longestWordsBytes = 20_000;

/** What drivers of a run say in the background is here; undefined if another run may have the same file. */
export function logFileOf(folder: string, run: string): string | undefined {
  return /^[\w.-]+$/.test(run) ? join(folder, `${run}.log`) : undefined;
}

/** The file that holds what a driver in the background says. */
export class DriverLog {
  readonly file: string;
  readonly descriptor: number;
  /** Where what is new begins. */
  readonly #start: number;

  /** Throws `FOLDER_UNSAFE`. */
  constructor(folder: string, run: string) {
    makePrivateFolder(folder);
    this.file = join(folder, `${run.replaceAll(/[^\w.-]/g, '_')}.log`);
    this.descriptor = openOwn(this.file);
    this.#start = fstatSync(this.descriptor).size;
  }

  /** The end of what was said since it was opened. It may have grown for months. */
  read(): string {
    const { size } = fstatSync(this.descriptor);
    const from = Math.max(this.#start, size - longestWordsBytes);
    const bytes = new Uint8Array(Math.max(size - from, 0));
    const length = readSync(this.descriptor, bytes, 0, bytes.length, from);
    return cleanText(Buffer.from(bytes.subarray(0, length)).toString('utf8')).trim();
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
const onlyFiles = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** An archive may bring anything by that name: a link would have another file written to, and a pipe be waited for. */
function openOwn(file: string): number {
  const descriptor = orUnsafe(file, () => openSync(file, flags | onlyFiles, 0o600));
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw unsafe(file);
}

function orUnsafe(file: string, open: () => number): number {
  try {
    return open();
  } catch (error) {
    if (['ELOOP', 'EISDIR', 'ENXIO'].some((code) => hasCode(error, code))) throw unsafe(file);
    throw error;
  }
}

function unsafe(file: string): PitonError {
  const message = `${file} is a link, or no file at all, and what a driver in the background says would go there.`;
  return new PitonError('FOLDER_UNSAFE', message, { file, remedy: 'Remove it.' });
}
