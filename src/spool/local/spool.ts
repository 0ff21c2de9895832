import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { join, resolve } from 'node:path';
import { crashPoint, effect, type ProcessIdentity } from '../../base/index.ts';
import { awaitEnd } from './await-end.ts';
import { assertAttemptName } from './environment.ts';
import { fenceFamily, type FenceResult } from './fence.ts';
import { followFiles, type FollowOptions } from './follow.ts';
import { Heads } from './heads.ts';
import { exitRecord, files, hasBegun, makeClaim, readExit, readIfThere, readOrder } from '../layout.ts';
import { lookAt, mayHaveLostClaim, type Place } from './look.ts';
import { familyOf, hasOwnSessions } from './members.ts';
import type {
  Ending,
  Exit,
  JournalHead,
  OutputPiece,
  OutputStream,
  OutputText,
  Sighting,
  SpoolOrder,
  WrittenOrder,
} from '../order.ts';
import { lastChange, lastLineOf, readBytes, readText, type LastLine, type ReadOptions } from './output.ts';
import { prepareFolder } from './prepare.ts';
import { emptyDiscarded, isBegunToPrepare, listAttempts, removeAttempt } from './remove.ts';
import { startWrapper } from './start.ts';
import { StoreKey } from '../store-key.ts';
import { Syncing } from './syncing.ts';

export interface SpoolOptions {
  readonly folder: string;
  /** Of the user, outside of all projects: in it is the key that exit records are known by. */
  readonly keys: string;
  /** Time between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** `full`: what was prepared, and what `sync` is told, outlasts a power failure. */
  readonly durability: 'full' | 'process';
  /** Whose attempts these are: several stores may have one folder. */
  readonly store?: string;
  /** A POSIX shell; /bin/sh if not given. */
  readonly shell?: string;
}

export interface EndedOptions {
  readonly process: ProcessIdentity;
  readonly signal?: AbortSignal;
}

export interface FenceOptions {
  readonly process?: ProcessIdentity;
  readonly graceMs?: number;
  /** False: SIGKILL at once, without asking. True if not given. */
  readonly isGentle?: boolean;
}

/**
 * Processes that are started at most once, outlive us, and can be found, followed and ended by whoever comes next. All goes
 * through files: one folder for each attempt. Nothing is kept in memory but the handles of our own children, which only
 * make waiting quicker.
 */
export class Spool {
  readonly #options: Required<SpoolOptions>;
  readonly #children = new Map<string, ChildProcess>();
  readonly #turns = new Turns();
  readonly #syncing = new Syncing();
  readonly #key: StoreKey;
  /** How far journals are known to have come. */
  readonly heads: Heads;

  constructor(options: SpoolOptions) {
    const folder = resolve(options.folder);
    this.#options = Object.freeze({ shell: '/bin/sh', store: '', ...options, folder });
    const { store, durability } = this.#options;
    this.#key = new StoreKey(folder, this.#options.keys);
    this.heads = new Heads(folder, { store, isSynced: durability === 'full' });
  }

  folderOf(attempt: string): string {
    assertAttemptName(attempt);
    return join(this.#options.folder, attempt);
  }

  /**
   * Makes the folder, or throws SPOOL_EXISTS. The environment is not written down. `head`: of the journal that tells of
   * the attempt; without one (a store that outlives nobody) nothing bears witness of it.
   */
  async prepare(order: SpoolOrder, head?: JournalHead): Promise<void> {
    const { durability, store } = this.#options;
    crashPoint('spool:before-prepare');
    this.#key.make();
    if (head !== undefined) {
      await this.heads.raise(order.run, head);
      crashPoint('spool:after-raise');
    }
    const written = {
      ...order,
      store,
      ...(head !== undefined && { head: { seq: head.seq, hash: head.hash } }),
    };
    await prepareFolder(this.folderOf(order.attempt), written, durability === 'full');
    crashPoint('spool:after-prepare');
  }

  /**
   * Resolves as soon as the wrapper exists, and with it surely found again by `look`. Rejects with COMMAND_NOT_STARTED if
   * it does not exist; then nothing has begun. That the command itself is missing is not such a case: it exits with 127.
   */
  async start(order: SpoolOrder): Promise<ProcessIdentity> {
    await this.#turns.next();
    crashPoint('spool:before-start');
    const { graceMs, shell } = this.#options;
    const folder = this.folderOf(order.attempt);
    const nonces = this.#key.noncesOf(order.attempt);
    const { child, process } = await startWrapper({ folder, order, graceMs, shell, nonces });
    crashPoint('spool:after-start');
    this.#children.set(order.attempt, child);
    child.once('exit', () => this.#children.delete(order.attempt));
    return process;
  }

  /** Changes nothing. Throws only if the files cannot be read though they are there (too many open files, a broken disk). */
  look(attempt: string, process?: ProcessIdentity): Sighting {
    return lookAt(this.#place(attempt), process);
  }

  /** True: it has not begun, and never will, even if a wrapper is on its way. False: it may have begun, look again. */
  claim(attempt: string): boolean {
    const place = this.#place(attempt);
    if (makeClaim(place.folder)) return !mayHaveLostClaim(place);
    // A claim made by one who died before it began counts as ours.
    return lookAt(place).type === 'unclaimed';
  }

  /**
   * Waits until the wrapper has ended or left an exit record; undefined if the signal was given before. Never rejects.
   * What cannot be seen from here is waited for until its exit record appears.
   */
  ended(attempt: string, { process, signal }: EndedOptions): Promise<Ending | undefined> {
    const folder = this.folderOf(attempt);
    const look = (): Sighting => this.look(attempt, process);
    const glance = (): Sighting | undefined => (readExit(folder, attempt) === undefined ? undefined : look());
    const claim = (): boolean => this.claim(attempt);
    return awaitEnd({ glance, look, claim, child: this.#children.get(attempt), signal });
  }

  /**
   * Ends whatever lives of the attempt, the wrapper last, so that it can still write how the command ended: look again
   * afterwards. Cheap if nothing lives. Sees nothing of what runs on another host.
   */
  async fence(attempt: string, options: FenceOptions = {}): Promise<FenceResult> {
    const { process, graceMs = this.#options.graceMs, isGentle = true } = options;
    const family = familyOf(this.#place(attempt), process);
    if (family === undefined) return { ended: 0, survivors: [] };
    await this.#turns.next();
    return fenceFamily(family, isGentle ? graceMs : undefined);
  }

  /** Leaves a note why it is about to be asked to stop: whoever finds its end must not take that for its own doing. */
  noteStop(attempt: string, reason: string): void {
    writeFileSync(join(this.folderOf(attempt), files.stopping), reason);
  }

  /** The note, if there is one. */
  stopNote(attempt: string): string | undefined {
    return readIfThere(join(this.folderOf(attempt), files.stopping));
  }

  /**
   * In `full`: to be called before an end is recorded that rests on what the attempt has written. `exit`: what is known
   * of its end. May be called again if it throws: what could not be synced once is written anew.
   */
  async sync(attempt: string, exit?: Exit): Promise<void> {
    if (this.#options.durability !== 'full') return;
    const record = exit && exitRecord(attempt, { ...exit, nonce: this.#key.nonceOf(attempt, exit) });
    await this.#syncing.sync(this.folderOf(attempt), record);
  }

  /** At most `maxBytes` of it, without splitting a character; what is not UTF-8 is replaced. */
  readOutput(attempt: string, stream: OutputStream, options: ReadOptions): OutputText {
    const file = join(this.folderOf(attempt), files[stream]);
    return readText(file, options) ?? { text: '', bytes: 0, isCut: false };
  }

  /** What it has printed after a place, as bytes; at most `maxBytes`. */
  readFrom(
    attempt: string,
    { position, maxBytes }: { readonly position: number; readonly maxBytes: number },
  ): Buffer {
    return readBytes(join(this.folderOf(attempt), files.stdout), { position, maxBytes });
  }

  /** The beginning of what was written to `$PITON_OUTPUT`; undefined if nothing was. */
  readResult(attempt: string, { maxBytes }: { readonly maxBytes: number }): OutputText | undefined {
    const names = [files.result, files.ownResult];
    const read = names.map((name) =>
      readText(join(this.folderOf(attempt), name), { maxBytes, from: 'start' }),
    );
    return read.find((text) => text !== undefined);
  }

  /** What it was given on standard input; undefined if that was nothing. */
  readInput(attempt: string): string | undefined {
    return readIfThere(join(this.folderOf(attempt), files.input));
  }

  /** What it was told to do; undefined if it was not prepared. */
  describe(attempt: string): WrittenOrder | undefined {
    return readOrder(this.folderOf(attempt));
  }

  /** What it was told to do, of all attempts of this store, or of one run. What cannot be read is passed over. */
  orders(run?: string): WrittenOrder[] {
    return this.list().flatMap((attempt) => {
      const order = this.describe(attempt);
      if (order === undefined || (run !== undefined && order.run !== run)) return [];
      return (order.store ?? this.#options.store) === this.#options.store ? [order] : [];
    });
  }

  /** Whether anything has begun of which it cannot be told any more what it was, and for which run. */
  hasUnreadable(): boolean {
    return this.list().some(
      (attempt) => this.describe(attempt) === undefined && hasBegun(this.folderOf(attempt)),
    );
  }

  follow(attempt: string, options: FollowOptions): AsyncIterable<OutputPiece> {
    const folder = this.folderOf(attempt);
    return followFiles({ stdout: join(folder, files.stdout), stderr: join(folder, files.stderr) }, options);
  }

  /** When it last printed anything, in milliseconds since 1970; undefined if it has not begun. */
  lastOutputAt(attempt: string): number | undefined {
    const folder = this.folderOf(attempt);
    return lastChange([join(folder, files.stdout), join(folder, files.stderr)]);
  }

  /** Whether anything of it lives in a session of its own, as the tools of agents do; false where that cannot be seen. */
  hasTools(attempt: string, process?: ProcessIdentity): boolean {
    const family = familyOf(this.#place(attempt), process);
    return family !== undefined && hasOwnSessions(family);
  }

  /** The last line of either stream that shows anything; reads the tails only. */
  lastLine(attempt: string): LastLine | undefined {
    const folder = this.folderOf(attempt);
    return lastLineOf([join(folder, files.stdout), join(folder, files.stderr)]);
  }

  list(): string[] {
    return listAttempts(this.#options.folder);
  }

  /** Gives those that were refused, because something of them lives or cannot be seen from here. */
  async remove(attempts: readonly string[]): Promise<readonly string[]> {
    const refused: string[] = [];
    for (const attempt of attempts) {
      const isRemoved = await removeAttempt(this.#options.folder, this.#place(attempt));
      if (!isRemoved) refused.push(attempt);
    }
    await emptyDiscarded(this.#options.folder);
    return refused;
  }

  /**
   * Removes the folder of an attempt that was claimed so that it never begins. Nothing in it is of use to anybody. One in which
   * nobody has begun to prepare anything stays, unless nobody is left who could (`isOrphan`): who comes to that must find it taken.
   */
  async removeUnbegun(
    attempt: string,
    { isOrphan = false }: { readonly isOrphan?: boolean } = {},
  ): Promise<void> {
    if (!isOrphan && !isBegunToPrepare(this.folderOf(attempt))) return;
    const { run, head } = this.describe(attempt) ?? {};
    await effect('spool.unbegun-removed', async () => {
      if (run !== undefined && head !== undefined) await this.heads.noteUnbegun(run, head);
      await this.remove([attempt]);
    });
  }

  #place(attempt: string): Place {
    return { folder: this.folderOf(attempt), attempt, key: this.#key };
  }
}

/** Starting a process and looking for others take milliseconds each: between two, the event loop has its turn. */
class Turns {
  #last: Promise<unknown> = Promise.resolve();

  next(): Promise<unknown> {
    this.#last = this.#last.then(() => setImmediate());
    return this.#last;
  }
}
