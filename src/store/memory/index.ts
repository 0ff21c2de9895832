import { PitonError, sha256, type Clock } from '../../base/index.ts';
import type { InboxCommand, Lease, RunSummary, StoredCommit } from '../../model/index.ts';
import type {
  AppendRequest,
  ChangesPage,
  Compacted,
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
import { isAbout } from '../filter-about.ts';
import { blobDamaged, blobMissing, storeClosed, unsupported, cutMisplaced } from '../refusals.ts';
import { readChanges } from './changes.ts';
import { figuresOf } from './figures.ts';
import { pendingCommands, sendCommand } from './inbox.ts';
import { append, createRun, importRun, quarantine, readCommits, requireRun } from './journal.ts';
import { findLeases, freeAllOf, freeLease, putLease, takeLease } from './leases.ts';
import { mediumNamed, notify, type LeaseKeeper, type Medium } from './medium.ts';
import { dropBlobs, measure, prune } from './prune.ts';

/**
 * Opens a store that lives as long as the process. `memory:` is a new, empty one each time; `memory:<name>` is the same
 * for all who name it, also after it was closed. With `?heartbeat=off` the leases taken through this handle are not
 * renewed, as if their driver had fallen silent. Throws `STORE_URL_INVALID`.
 */
export async function openMemoryStore(url: string, { clock }: OpenStoreOptions): Promise<Store> {
  const { name, renews } = parse(url);
  return new MemoryStore(url, mediumNamed(name), { clock, renews });
}

function parse(url: string): { name: string; renews: boolean } {
  const match = /^memory:([^?]*)(?:\?heartbeat=(on|off))?$/i.exec(url);
  if (match === null) {
    throw new PitonError('STORE_URL_INVALID', `The store URL '${url}' cannot be used.`, {
      url,
      remedy: 'Write memory:, memory:<name> or memory:<name>?heartbeat=off.',
    });
  }
  return { name: match[1]!, renews: match[2] !== 'off' };
}

interface Handle {
  readonly clock: Clock;
  readonly renews: boolean;
}

class MemoryStore implements Store {
  readonly url: string;
  readonly durability = 'none';
  readonly #medium: Medium;
  readonly #clock: Clock;
  readonly #keeper: LeaseKeeper;
  readonly #lossListeners = new Set<(lease: Lease) => void>();
  readonly #watches = new Set<() => void>();
  #isClosed = false;

  constructor(url: string, medium: Medium, { clock, renews }: Handle) {
    this.url = url;
    this.#medium = medium;
    this.#clock = clock;
    this.#keeper = { renews, lose: (lease) => this.#reportLost(lease) };
  }

  async createRun(request: CreateRunRequest): Promise<Lease> {
    return this.#change((medium) => {
      createRun(medium, request);
      const lease = putLease(medium, request.lease, this.#taker());
      if (request.release) freeLease(medium, lease.name, lease.token);
      return lease;
    });
  }

  async append(request: AppendRequest): Promise<void> {
    this.#change((medium) => append(medium, request, this.#clock.now()));
  }

  async importRun(request: ImportRunRequest): Promise<void> {
    this.#change((medium) => importRun(medium, request));
  }

  async readCommits(
    run: string,
    page: { readonly after: number; readonly limit: number },
  ): Promise<StoredCommit[]> {
    return readCommits(this.#open(), run, page);
  }

  async findRun(run: string): Promise<RunRecord | undefined> {
    return this.#open().runs.get(run)?.record;
  }

  async readChanges(page: ChangesPage): Promise<RunChange[]> {
    return readChanges(this.#open(), page, this.url);
  }

  async newestCursor(): Promise<string> {
    return String(this.#open().changes.count);
  }

  async listRuns(filter: RunFilter): Promise<RunRecord[]> {
    const { status, workflow, prefix = '', spentOn, hasPlaces, before, limit } = filter;
    return Array.from(this.#open().runs.values(), ({ record }) => record)
      .filter((record) => status === undefined || status.includes(record.status))
      .filter((record) => workflow === undefined || record.workflow === workflow)
      .filter((record) => record.run.startsWith(prefix))
      .filter(({ spent }) => spentOn === undefined || hasSpent(spent, spentOn))
      .filter(({ places = 0 }) => hasPlaces !== true || places > 0)
      .filter((record) => isAbout(record, filter))
      .filter((record) => before === undefined || newestFirst(before, record) < 0)
      .sort(newestFirst)
      .slice(0, limit);
  }

  async listRunIds(): Promise<string[]> {
    return (await this.listRuns({})).map(({ run }) => run);
  }

  async compareRun(expected: RunRecord): Promise<string[]> {
    const record: Partial<Record<string, unknown>> = { ...requireRun(this.#open(), expected.run).record };
    return [...new Set([...Object.keys(record), ...Object.keys(expected)])]
      .map((name) => [name, record[name], expected[name as keyof RunRecord]] as const)
      .filter(([, found, wanted]) => JSON.stringify(found) !== JSON.stringify(wanted))
      .map(
        ([name, found, wanted]) => `its ${name} is ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`,
      );
  }

  async rebuildRun(record: RunRecord): Promise<void> {
    this.#change((medium) => {
      const found = requireRun(medium, record.run);
      if (found.commits.at(-1)?.hash !== record.hash) throw cutMisplaced(record.run, record.seq);
      found.record = Object.freeze({ ...record });
    });
  }

  async saveSnapshot(snapshot: Snapshot): Promise<void> {
    this.#change((medium) => {
      const found = medium.runs.get(snapshot.run);
      if (found === undefined) return;
      const others = found.snapshots.filter(({ seq }) => seq !== snapshot.seq);
      found.snapshots = [...others, snapshot].sort((a, b) => b.seq - a.seq).slice(0, 2);
    });
  }

  async loadSnapshot(run: string, upTo: number): Promise<Snapshot | undefined> {
    return this.#open()
      .runs.get(run)
      ?.snapshots.find(({ seq }) => seq <= upTo);
  }

  async readBlob(hash: string): Promise<string> {
    const text = this.#open().blobs.get(hash);
    if (text === undefined) throw blobMissing(hash);
    if (sha256(text) !== hash) throw blobDamaged(hash);
    return text;
  }

  async takeLease(request: TakeLeaseRequest): Promise<{ readonly taken: boolean; readonly lease: Lease }> {
    return this.#change((medium) => takeLease(medium, request, this.#taker()));
  }

  async findLeases(names: readonly string[]): Promise<ReadonlyMap<string, Lease>> {
    return findLeases(this.#open(), names, this.#clock.now());
  }

  async releaseLease({ name, token }: Lease): Promise<void> {
    this.#change((medium) => freeLease(medium, name, token));
  }

  /** They are renewed by nobody else's doing. */
  onHeartbeat(): () => void {
    return () => {};
  }

  onLeaseLost(listener: (lease: Lease) => void): () => void {
    this.#lossListeners.add(listener);
    return () => void this.#lossListeners.delete(listener);
  }

  async sendCommand(command: InboxCommand): Promise<void> {
    this.#change((medium) => sendCommand(medium, command));
  }

  async pendingCommands(runs: string | readonly string[]): Promise<InboxCommand[]> {
    return pendingCommands(this.#open(), runs);
  }

  async findCommand(id: string): Promise<InboxCommand | undefined> {
    return this.#open().inbox.get(id);
  }

  watch(listener: () => void): () => void {
    const { listeners } = this.#open();
    const entry = { handle: this, call: listener };
    const stop = (): void => void (listeners.delete(entry), this.#watches.delete(stop));
    listeners.add(entry);
    this.#watches.add(stop);
    return stop;
  }

  hasRoom(): boolean {
    this.#open();
    return true;
  }

  async quarantine(request: QuarantineRequest): Promise<void> {
    this.#change((medium) => quarantine(medium, request, this.#clock.now()));
  }

  async quarantined(run: string): Promise<StoredCommit[]> {
    return [...(this.#open().runs.get(run)?.quarantined ?? [])];
  }

  async witnessedSeq(): Promise<undefined> {
    return undefined;
  }

  async prune(request: PruneRequest): Promise<Pruned> {
    return this.#change((medium) => prune(medium, request, this.#clock.now()));
  }

  async mayShareFolder(): Promise<boolean> {
    return false;
  }

  async dropBlobs(run: string, keep: readonly string[]): Promise<number> {
    return this.#change((medium) => dropBlobs(medium, medium.runs.get(run), new Set(keep)));
  }

  async measure(runs: readonly string[]): Promise<StoreSize> {
    return measure(this.#open(), runs);
  }

  async compact(): Promise<Compacted> {
    const { bytes, freeBytes } = measure(this.#open(), []);
    return { bytes, freeBytes };
  }

  async backup(): Promise<void> {
    this.#open();
    throw unsupported(
      'A store in memory cannot be backed up: it ends with the process.',
      'Use sqlite:<path>.',
    );
  }

  async checkMedium(): Promise<string[]> {
    this.#open();
    return [];
  }

  async figures(): Promise<StoreFigures> {
    return figuresOf(this.#open());
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const stop of this.#watches) stop();
    freeAllOf(this.#medium, this.#keeper);
    notify(this.#medium, this);
  }

  #open(): Medium {
    if (this.#isClosed) throw storeClosed(this.url);
    return this.#medium;
  }

  #change<T>(apply: (medium: Medium) => T): T {
    const result = apply(this.#open());
    notify(this.#medium, this);
    return result;
  }

  #taker() {
    return { keeper: this.#keeper, now: this.#clock.now() };
  }

  /** Soon, not at once: the listener must not run in the middle of the other's taking. */
  #reportLost(lease: Lease): void {
    setImmediate(() => {
      if (this.#isClosed) return;
      for (const listener of this.#lossListeners) listener(lease);
    });
  }
}

type Age = Pick<RunRecord, 'run' | 'createdAt'>;

function newestFirst(a: Age, b: Age): number {
  if (a.createdAt !== b.createdAt) return b.createdAt - a.createdAt;
  return a.run === b.run ? 0 : a.run < b.run ? 1 : -1;
}

function hasSpent(spent: RunSummary['spent'], day: string): boolean {
  return spent !== undefined && (day === 'any' || Object.hasOwn(spent, day));
}
