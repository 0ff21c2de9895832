import type { Clock } from '../../base/index.ts';
import type { InboxCommand, Lease, StoredCommit } from '../../model/index.ts';
import type {
  AppendRequest,
  BackupOptions,
  ChangesPage,
  Compacted,
  CompactOptions,
  CreateRunRequest,
  ImportRunRequest,
  OpenStoreOptions,
  Pruned,
  PruneRequest,
  QuarantineRequest,
  RunChange,
  RunFilter,
  RunRecord,
  Snapshot,
  Store,
  StoreSize,
  StoreFigures,
  TakeLeaseRequest,
} from '../contract.ts';
import { storeClosed } from '../refusals.ts';
import { parseAddress } from './address.ts';
import { backUp } from './back-up.ts';
import { readBlob } from './blobs.ts';
import { newestCursor, readChanges } from './changes.ts';
import { compact } from './compact.ts';
import { Connection, soundDisk, type FaultSeam } from './connection.ts';
import { figuresOf } from './figures.ts';
import { GroupCommit, type Change } from './group-commit.ts';
import { importRun } from './import-run.ts';
import { findCommand, pendingCommands, sendCommand } from './inbox.ts';
import { append, createRun, quarantine, quarantined, readCommits, type Writing } from './journal.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import { findLeases, freeLease, takeLease, type Taking } from './leases.ts';
import { prepareMedium } from './medium.ts';
import { hasNeighbours } from './neighbours.ts';
import { patiently } from './patience.ts';
import { addPruned, nothingPruned, pruneBlobs, pruneRun, runsToPrune } from './prune.ts';
import { Room } from './room.ts';
import { compareRun, findRun, listRunIds, listRuns, rebuildRun } from './runs.ts';
import { loadSnapshot, saveSnapshot } from './snapshots.ts';
import type { Statements } from './statements.ts';
import { findDamage, measureStore } from './upkeep.ts';
import { Watchers } from './watchers.ts';
import { WrittenRows } from './written-rows.ts';

/**
 * Opens `sqlite:<path>`, creating the file and its folder if need be. Parameters: `max-bytes` (quota of the file),
 * `min-free` (free-space floor in bytes, default 64 MiB), `patience` (milliseconds to wait for a lock, default 10 000).
 *
 * Throws `STORE_URL_INVALID`, `STORE_UNREADABLE`, `STORE_NOT_A_DATABASE`, `STORE_TOO_NEW`, `STORE_ON_NETWORK`,
 * `SQLITE_TOO_OLD`, besides what any method may throw.
 */
export async function openSqliteStore(
  url: string,
  options: OpenStoreOptions,
  seam: FaultSeam = soundDisk,
): Promise<Store> {
  const address = parseAddress(url);
  prepareMedium(address.file);
  const { durability, backups, isCopy } = options;
  const connection = new Connection({ ...address, durability, backups, isCopy }, seam);
  await patiently(connection.settings, () => connection.statements);
  return new SqliteStore(connection, options.clock);
}

class SqliteStore implements Store {
  readonly url: string;
  readonly durability: 'full' | 'process';
  readonly file: string;
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #writing: Writing;
  readonly #room: Room;
  readonly #watchers: Watchers;
  readonly #leases: LeaseKeeper;
  readonly #group: GroupCommit;
  #closing: Promise<void> | undefined;

  constructor(connection: Connection, clock: Clock) {
    const { url, durability, file } = connection.settings;
    this.url = url;
    this.durability = durability;
    this.file = file;
    this.#connection = connection;
    this.#clock = clock;
    this.#writing = { clock, rows: new WrittenRows() };
    this.#room = new Room(connection);
    this.#watchers = new Watchers(connection);
    this.#leases = new LeaseKeeper(file, clock);
    this.#group = new GroupCommit(connection, {
      onFull: () => this.#room.releaseBallast(),
    });
  }

  createRun(request: CreateRunRequest): Promise<Lease> {
    return this.#write(createRun(request, this.#writing), (lease) => {
      if (request.release) return;
      this.#leases.keep(lease);
      this.#leases.workBegins();
    });
  }

  append(request: AppendRequest): Promise<void> {
    return this.#write(append(request, this.#writing), () => {
      if (request.release === undefined) this.#leases.workBegins();
      else this.#leases.forgetFreed(request.lease);
    });
  }

  importRun(request: ImportRunRequest): Promise<void> {
    return this.#write(importRun(request));
  }

  readCommits(
    run: string,
    page: { readonly after: number; readonly limit: number },
  ): Promise<StoredCommit[]> {
    return this.#read((statements) => readCommits(statements, run, page));
  }

  findRun(run: string): Promise<RunRecord | undefined> {
    return this.#read((statements) => findRun(statements, run));
  }

  listRuns(filter: RunFilter): Promise<RunRecord[]> {
    return this.#read((statements) => listRuns(statements, filter));
  }

  readChanges(page: ChangesPage): Promise<RunChange[]> {
    return this.#read((statements) => readChanges(statements, page, this.url));
  }

  newestCursor(): Promise<string> {
    return this.#read(newestCursor);
  }

  listRunIds(): Promise<string[]> {
    return this.#read(listRunIds);
  }

  compareRun(expected: RunRecord): Promise<string[]> {
    return this.#read((statements) => compareRun(statements, expected));
  }

  rebuildRun(record: RunRecord): Promise<void> {
    return this.#write(rebuildRun(record));
  }

  saveSnapshot(snapshot: Snapshot): Promise<void> {
    return this.#write(saveSnapshot(snapshot));
  }

  loadSnapshot(run: string, upTo: number): Promise<Snapshot | undefined> {
    return this.#read((statements) => loadSnapshot(statements, run, upTo));
  }

  readBlob(hash: string): Promise<string> {
    return this.#read((statements) => readBlob(statements, hash));
  }

  takeLease(request: TakeLeaseRequest): Promise<Taking> {
    return this.#write(takeLease(request, this.#clock), ({ taken, lease }) => {
      // Others may have written to the run since that token was last used.
      this.#writing.rows.forget(request.token);
      if (taken) this.#leases.keep(lease);
    });
  }

  findLeases(names: readonly string[]): Promise<ReadonlyMap<string, Lease>> {
    return this.#read((statements) => findLeases(statements, names, this.#clock.now()));
  }

  releaseLease(lease: Lease): Promise<void> {
    // First of all it is not renewed any more: should it not be freed now, it runs out by itself.
    this.#leases.forget(lease);
    this.#writing.rows.forget(lease.token);
    return this.#write(freeLease(lease));
  }

  onLeaseLost(listener: (lease: Lease) => void): () => void {
    return this.#leases.onLost(listener);
  }

  onHeartbeat(listener: (trouble: string | undefined) => void): () => void {
    return this.#leases.onHeartbeat(listener);
  }

  sendCommand(command: InboxCommand): Promise<void> {
    return this.#write(sendCommand(command));
  }

  pendingCommands(runs: string | readonly string[]): Promise<InboxCommand[]> {
    return this.#read((statements) => {
      this.#connection.assertThere();
      return pendingCommands(statements, runs);
    });
  }

  findCommand(id: string): Promise<InboxCommand | undefined> {
    return this.#read((statements) => findCommand(statements, id));
  }

  watch(listener: () => void): () => void {
    this.#refuseClosed();
    return this.#watchers.add(listener);
  }

  hasRoom(): boolean {
    this.#refuseClosed();
    return this.#room.hasRoom();
  }

  quarantine(request: QuarantineRequest): Promise<void> {
    return this.#write(quarantine(request, this.#writing));
  }

  quarantined(run: string): Promise<StoredCommit[]> {
    return this.#read((statements) => quarantined(statements, run));
  }

  async witnessedSeq(): Promise<undefined> {
    return undefined;
  }

  /** A transaction per run: removing many at once would keep everyone else waiting. */
  async prune(request: PruneRequest): Promise<Pruned> {
    let total = nothingPruned;
    for (const run of await this.#read((statements) => runsToPrune(statements, request))) {
      total = addPruned(total, await this.#write(pruneRun(run, request, this.#clock)));
    }
    return total;
  }

  mayShareFolder(): Promise<boolean> {
    return hasNeighbours(this.#connection.settings.file);
  }

  dropBlobs(run: string, keep: readonly string[]): Promise<number> {
    return this.#write(pruneBlobs(run, keep));
  }

  async measure(runs: readonly string[]): Promise<StoreSize> {
    this.#refuseClosed();
    return measureStore(this.#connection.settings, runs);
  }

  compact(options: CompactOptions): Promise<Compacted> {
    const { settings } = this.#connection;
    return compact(
      { settings, read: (look) => this.#read(look), write: (change) => this.#write(change) },
      options,
    );
  }

  async backup(file: string, options: BackupOptions = {}): Promise<void> {
    this.#refuseClosed();
    await backUp(this.#connection.settings, file, options);
  }

  async checkMedium(): Promise<string[]> {
    this.#refuseClosed();
    return findDamage(this.#connection.settings);
  }

  figures(): Promise<StoreFigures> {
    return this.#read((statements) => figuresOf(statements, this.#connection.settings.file));
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#shutDown());
  }

  async #shutDown(): Promise<void> {
    this.#room.close();
    this.#watchers.close();
    await this.#group.idle();
    await this.#leases.stop();
    // A store that cannot be written to any more must still close; its leases expire by themselves.
    await Promise.allSettled(this.#leases.kept.map((lease) => this.#group.submit(freeLease(lease))));
    this.#connection.close();
  }

  async #read<T>(look: (statements: Statements) => T): Promise<T> {
    this.#refuseClosed();
    return patiently(this.#connection.settings, () => look(this.#connection.statements));
  }

  /** `then`: in the turn of the COMMIT, before anyone learns of it. */
  #write<T>(change: Change<T>, then?: (value: T) => void): Promise<T> {
    if (this.#closing !== undefined) return Promise.reject(storeClosed(this.url));
    if (then === undefined) return this.#group.submit(change);
    const committed = (value: T): void => (change.committed?.(value), then(value));
    return this.#group.submit({ ...change, committed });
  }

  #refuseClosed(): void {
    if (this.#closing !== undefined) throw storeClosed(this.url);
  }
}
