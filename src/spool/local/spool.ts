import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { join, resolve } from 'node:path';
import { crashPoint, effect, systemClock, type ProcessIdentity } from '../../base/index.ts';
import type {
  EndedOptions,
  FenceOptions,
  FenceResult,
  FollowOptions,
  LastLine,
  ReadFromOptions,
  ReadOptions,
  Spool,
} from '../contract.ts';
import { awaitEnd } from './await-end.ts';
import { assertAttemptName } from './environment.ts';
import { fenceFamily } from './fence.ts';
import { followFiles } from './follow.ts';
import { LocalHeads } from './heads.ts';
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
import { lastChange, lastLineOf, readBytes, readText } from './output.ts';
import { prepareFolder } from './prepare.ts';
import { emptyDiscarded, isBegunToPrepare, listAttempts, removeAttempt } from './remove.ts';
import { startWrapper } from './start.ts';
import { StoreKey } from '../store-key.ts';
import { Syncing } from './syncing.ts';

export interface LocalSpoolOptions {
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

/**
 * On this machine. All goes through files: one folder for each attempt. Nothing is kept in memory but the handles of our own
 * children, which only make waiting quicker. What is looked at and decided in one method is so without a pause in between.
 */
export class LocalSpool implements Spool {
  readonly #options: Required<LocalSpoolOptions>;
  readonly #children = new Map<string, ChildProcess>();
  readonly #turns = new Turns();
  readonly #syncing = new Syncing();
  readonly #key: StoreKey;
  readonly heads: LocalHeads;

  constructor(options: LocalSpoolOptions) {
    const folder = resolve(options.folder);
    this.#options = Object.freeze({ shell: '/bin/sh', store: '', ...options, folder });
    const { store, durability } = this.#options;
    this.#key = new StoreKey(folder, this.#options.keys);
    this.heads = new LocalHeads(folder, { store, isSynced: durability === 'full' });
  }

  folderOf(attempt: string): string {
    assertAttemptName(attempt);
    return join(this.#options.folder, attempt);
  }

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

  async look(attempt: string, process?: ProcessIdentity): Promise<Sighting> {
    return lookAt(this.#place(attempt), process);
  }

  async claim(attempt: string): Promise<boolean> {
    return this.#claimNow(attempt);
  }

  #claimNow(attempt: string): boolean {
    const place = this.#place(attempt);
    if (makeClaim(place.folder)) return !mayHaveLostClaim(place);
    // A claim made by one who died before it began counts as ours.
    return lookAt(place).type === 'unclaimed';
  }

  ended(attempt: string, { process, signal }: EndedOptions): Promise<Ending | undefined> {
    const folder = this.folderOf(attempt);
    const look = (): Sighting => lookAt(this.#place(attempt), process);
    const glance = (): Sighting | undefined => (readExit(folder, attempt) === undefined ? undefined : look());
    const claim = (): boolean => this.#claimNow(attempt);
    return awaitEnd({ glance, look, claim, child: this.#children.get(attempt), signal });
  }

  async fence(attempt: string, options: FenceOptions = {}): Promise<FenceResult> {
    const { process, graceMs = this.#options.graceMs, isGentle = true } = options;
    const family = familyOf(this.#place(attempt), process);
    if (family === undefined) return { ended: 0, survivors: [] };
    await this.#turns.next();
    return fenceFamily(family, isGentle ? graceMs : undefined);
  }

  async noteStop(attempt: string, reason: string): Promise<void> {
    writeFileSync(join(this.folderOf(attempt), files.stopping), reason);
  }

  async stopNote(attempt: string): Promise<string | undefined> {
    return readIfThere(join(this.folderOf(attempt), files.stopping));
  }

  async sync(attempt: string, exit?: Exit): Promise<void> {
    if (this.#options.durability !== 'full') return;
    const record = exit && exitRecord(attempt, { ...exit, nonce: this.#key.nonceOf(attempt, exit) });
    await this.#syncing.sync(this.folderOf(attempt), record);
  }

  async readOutput(attempt: string, stream: OutputStream, options: ReadOptions): Promise<OutputText> {
    const file = join(this.folderOf(attempt), files[stream]);
    return readText(file, options) ?? { text: '', bytes: 0, isCut: false, writtenAt: 0 };
  }

  async readFrom(attempt: string, options: ReadFromOptions): Promise<Buffer> {
    return readBytes(join(this.folderOf(attempt), files[options.stream]), options);
  }

  async readResult(
    attempt: string,
    { maxBytes }: Pick<ReadOptions, 'maxBytes'>,
  ): Promise<OutputText | undefined> {
    const names = [files.result, files.ownResult];
    const read = names.map((name) =>
      readText(join(this.folderOf(attempt), name), { maxBytes, from: 'start' }),
    );
    return read.find((text) => text !== undefined);
  }

  async readInput(attempt: string): Promise<string | undefined> {
    return readIfThere(join(this.folderOf(attempt), files.input));
  }

  async describe(attempt: string): Promise<WrittenOrder | undefined> {
    return readOrder(this.folderOf(attempt));
  }

  async orders(run?: string): Promise<WrittenOrder[]> {
    return listAttempts(this.#options.folder).flatMap((attempt) => {
      const order = readOrder(this.folderOf(attempt));
      if (order === undefined || (run !== undefined && order.run !== run)) return [];
      return (order.store ?? this.#options.store) === this.#options.store ? [order] : [];
    });
  }

  async hasUnreadable(): Promise<boolean> {
    const folders = listAttempts(this.#options.folder).map((attempt) => this.folderOf(attempt));
    return folders.some((folder) => readOrder(folder) === undefined && hasBegun(folder));
  }

  follow(attempt: string, options: FollowOptions): AsyncIterable<OutputPiece> {
    const folder = this.folderOf(attempt);
    return followFiles({ stdout: join(folder, files.stdout), stderr: join(folder, files.stderr) }, options);
  }

  async silentMs(attempt: string): Promise<number> {
    const now = systemClock.now();
    return Math.max(now - ((await this.lastOutputAt(attempt)) ?? now), 0);
  }

  async lastOutputAt(attempt: string): Promise<number | undefined> {
    const folder = this.folderOf(attempt);
    return lastChange([join(folder, files.stdout), join(folder, files.stderr)]);
  }

  async hasTools(attempt: string, process?: ProcessIdentity): Promise<boolean> {
    const family = familyOf(this.#place(attempt), process);
    return family !== undefined && hasOwnSessions(family);
  }

  async lastLine(attempt: string): Promise<LastLine | undefined> {
    const folder = this.folderOf(attempt);
    return lastLineOf([join(folder, files.stdout), join(folder, files.stderr)]);
  }

  async list(): Promise<string[]> {
    return listAttempts(this.#options.folder);
  }

  async remove(attempts: readonly string[]): Promise<readonly string[]> {
    const refused: string[] = [];
    for (const attempt of attempts) {
      const isRemoved = await removeAttempt(this.#options.folder, this.#place(attempt));
      if (!isRemoved) refused.push(attempt);
    }
    await emptyDiscarded(this.#options.folder);
    return refused;
  }

  async removeUnbegun(
    attempt: string,
    { isOrphan = false }: { readonly isOrphan?: boolean } = {},
  ): Promise<void> {
    if (!isOrphan && !isBegunToPrepare(this.folderOf(attempt))) return;
    const { run, head } = readOrder(this.folderOf(attempt)) ?? {};
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
