import { statSync } from 'node:fs';
import { open, mkdir, rm, truncate, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PitonError, sha256 } from '../../base/index.ts';
import type { Heads } from '../contract.ts';
import { codeOf, readIfThere } from '../layout.ts';
import type { JournalHead } from '../order.ts';
import { syncAll } from './prepare.ts';

const folderName = '.heads';
const recordBytes = 128;
/** After the two of the heads. */
const pruningSlot = 2;
const unbegunSlot = 3;
/** No process was ever started for it. */
const nowhere: JournalHead = { seq: 0, hash: '0'.repeat(64) };

/**
 * How far the journals had come when processes were started for their runs, one small file for each run. It lies outside
 * of the database, so that it can tell of a journal that has lost its end. A file holds two records, written in turn: when
 * writing one is cut off, the other is there; perhaps a third, that the run is about to be removed; and a fourth, that what was to
 * be started last has not begun, and was removed.
 */
export class LocalHeads implements Heads {
  readonly #folder: string;
  readonly #store: string;
  readonly #isSynced: boolean;
  /** By run: what was written, or is about to be. */
  readonly #raised = new Map<string, { readonly seq: number; readonly written: Promise<void> }>();

  constructor(spool: string, { store, isSynced }: { readonly store: string; readonly isSynced: boolean }) {
    this.#folder = join(spool, folderName);
    this.#store = store;
    this.#isSynced = isSynced;
  }

  raise(run: string, head: JournalHead): Promise<void> {
    const last = this.#raised.get(run);
    if (last !== undefined && last.seq >= head.seq) return last.written;
    const written = (last?.written ?? Promise.resolve()).catch(() => {}).then(() => this.#write(run, head));
    const raised = { seq: head.seq, written };
    this.#raised.set(run, raised);
    // What could not be written is tried again by the next.
    written.catch(() => this.#raised.get(run) === raised && this.#raised.delete(run));
    return written;
  }

  async replace(run: string, head: JournalHead, over: JournalHead | undefined): Promise<void> {
    if (this.#furthest(run)?.hash !== over?.hash) return;
    await this.remove(run);
    await this.raise(run, head);
  }

  async remove(run: string): Promise<void> {
    this.forget(run);
    await rm(this.fileOf(run), { force: true });
  }

  async notePruning(run: string): Promise<void> {
    await this.#note(run, { slot: pruningSlot, name: pruningOf(run) });
  }

  /** What was to be started at this head has not begun, and its folder is about to go: it is not missing. */
  async noteUnbegun(run: string, head: JournalHead): Promise<void> {
    if (this.#furthest(run)?.hash === head.hash)
      await this.#note(run, { slot: unbegunSlot, name: unbegunOf(run) });
  }

  async isUnbegun(run: string): Promise<boolean> {
    return this.#isNoted(run, { slot: unbegunSlot, name: unbegunOf(run) });
  }

  async forgetPruning(run: string): Promise<void> {
    if (await this.isPruned(run)) await truncate(this.fileOf(run), pruningSlot * recordBytes);
  }

  async isPruned(run: string): Promise<boolean> {
    return this.#isNoted(run, { slot: pruningSlot, name: pruningOf(run) });
  }

  forget(run: string): void {
    this.#raised.delete(run);
  }

  async isRecorded(run: string): Promise<boolean> {
    return readable(this.fileOf(run), (file) => statSync(file, { throwIfNoEntry: false }) !== undefined);
  }

  async read(run: string): Promise<JournalHead | undefined> {
    return this.#furthest(run);
  }

  async isDamaged(run: string): Promise<boolean> {
    return (readRecords(this.fileOf(run)) ?? '') !== '' && this.#furthest(run) === undefined;
  }

  fileOf(run: string): string {
    return join(this.#folder, sha256(`${this.#store}\n${run}`).slice(0, 32));
  }

  #furthest(run: string): JournalHead | undefined {
    const text = readRecords(this.fileOf(run));
    return text === undefined ? undefined : furthest(this.#records(run, text));
  }

  async #write(run: string, head: JournalHead): Promise<void> {
    const file = this.fileOf(run);
    const handle = await openFile(file, this.#isSynced);
    try {
      const records = this.#records(run, await handle.readFile('utf8'));
      const known = furthest(records);
      if (known !== undefined && known.seq >= head.seq) return;
      const slot = known === undefined ? 0 : 1 - records.indexOf(known);
      await handle.write(this.#encode(run, head), slot * recordBytes, 'utf8');
      if (this.#isSynced) await handle.datasync();
    } finally {
      await handle.close();
    }
  }

  /** Of the furthest head: of a further one it is void. */
  async #note(run: string, { slot, name }: Note): Promise<void> {
    const handle = await openFile(this.fileOf(run), this.#isSynced);
    try {
      const head = furthest(this.#records(run, await handle.readFile('utf8'))) ?? nowhere;
      await handle.write(this.#encode(name, head), slot * recordBytes, 'utf8');
      if (this.#isSynced) await handle.datasync();
    } finally {
      await handle.close();
    }
  }

  #isNoted(run: string, { slot, name }: Note): boolean {
    const text = readRecords(this.fileOf(run)) ?? '';
    const head = furthest(this.#records(run, text)) ?? nowhere;
    return text.slice(slot * recordBytes, (slot + 1) * recordBytes) === this.#encode(name, head);
  }

  #records(run: string, text: string): (JournalHead | undefined)[] {
    return [0, 1].map((slot) => {
      const record = text.slice(slot * recordBytes, (slot + 1) * recordBytes);
      const match = /^(\d{1,15}) ([0-9a-f]{64}) /.exec(record);
      const head = match === null ? undefined : { seq: Number(match[1]), hash: match[2]! };
      return head !== undefined && record === this.#encode(run, head) ? head : undefined;
    });
  }

  #encode(run: string, { seq, hash }: JournalHead): string {
    const text = `${seq} ${hash}`;
    const check = sha256(`${run}\n${text}`).slice(0, 16);
    return `${`${text} ${check}`.padEnd(recordBytes - 1)}\n`;
  }
}

interface Note {
  readonly slot: number;
  readonly name: string;
}

/** Keeps it from being taken for a record of the same head. */
function pruningOf(run: string): string {
  return `pruning ${run}`;
}

function unbegunOf(run: string): string {
  return `unbegun ${run}`;
}

function readRecords(file: string): string | undefined {
  // Asked first: that takes no open file, of which there may be none left.
  return readable(file, () =>
    statSync(file, { throwIfNoEntry: false }) === undefined ? undefined : readIfThere(file),
  );
}

/** A folder that may not be entered is no answer. */
function readable<T>(file: string, read: (file: string) => T): T {
  try {
    return read(file);
  } catch (cause) {
    throw new PitonError('SPOOL_UNREADABLE', `How far the run had come cannot be read from ${file}.`, {
      file,
      cause,
      remedy: 'Make sure that the disk is in order and that the file may be read, and try again.',
    });
  }
}

function furthest(records: readonly (JournalHead | undefined)[]): JournalHead | undefined {
  const known = records.filter((record) => record !== undefined);
  return known.toSorted((a, b) => b.seq - a.seq)[0];
}

async function openFile(file: string, isSynced: boolean): Promise<FileHandle> {
  try {
    return await open(file, 'r+');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const handle = await open(file, 'a+', 0o600);
  await handle.close();
  if (isSynced) await syncAll([dirname(file), dirname(dirname(file))]);
  return open(file, 'r+');
}
