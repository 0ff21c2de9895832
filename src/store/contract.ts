import type { Clock, PitonError } from '../base/index.ts';
import type {
  CommandAnswer,
  InboxCommand,
  Lease,
  LeaseOwner,
  RunSummary,
  StoredCommit,
} from '../model/index.ts';

/** What happened in runs, and what is told of them. */
export interface StoreJournals {
  /**
   * Makes a run: its row, its lease (epoch 1) and its first commit, in one transaction.
   * Throws `RUN_EXISTS` if the id is taken; nothing is changed then.
   */
  createRun(request: CreateRunRequest): Promise<Lease>;

  /**
   * Adds one commit to a run. Those asked for at the same time may share a transaction; one that is refused does not harm
   * the others. In the same transaction: blobs, the summary, answers to commands, the release of the
   * lease.
   * Throws `RUN_NOT_FOUND`; `LEASE_LOST` if the lease is not (or no longer) held under that token; `SEQ_CONFLICT` if `seq` is not head + 1.
   */
  append(request: AppendRequest): Promise<void>;

  /**
   * Adds a whole run that was written by another store: its row, all commits, what they refer to, and what was moved aside, in one
   * transaction. Nobody has its lease then; whoever takes it gets a higher epoch than all of its commits have.
   * Throws `RUN_EXISTS` if the id is taken, `BLOB_MISSING` if one that is needed is not there; nothing is changed then.
   */
  importRun(request: ImportRunRequest): Promise<void>;

  /** Commits with `seq > after`, in order, at most `limit`. Empty for an unknown run. Bodies are returned as stored. */
  readCommits(run: string, page: { readonly after: number; readonly limit: number }): Promise<StoredCommit[]>;

  /** The run's row: summary, head of the journal, incarnation. Undefined if there is no such run. */
  findRun(run: string): Promise<RunRecord | undefined>;

  /** Newest first. */
  listRuns(filter: RunFilter): Promise<RunRecord[]>;

  /**
   * What was changed in all runs after the cursor `after`, or from the beginning, in the order in which it was committed, at most
   * `limit`. A cursor holds as long as the store, whoever opens it; nothing is ever put in before one that was given out. Commits
   * that are gone again, since their journal was cut back or their run removed, are left out: what came in their place follows.
   * Throws `CURSOR_INVALID` if this store has given out no such cursor.
   */
  readChanges(page: ChangesPage): Promise<RunChange[]>;

  /** The cursor of the newest change, for whoever wants to hear only of later ones. */
  newestCursor(): Promise<string>;

  /** Keeps a fold of the journal up to `seq`. At most the two newest of a run are kept. Never the truth; of an unknown run it is not kept. */
  saveSnapshot(snapshot: Snapshot): Promise<void>;

  /** The newest snapshot with `seq <= upTo`. */
  loadSnapshot(run: string, upTo: number): Promise<Snapshot | undefined>;

  /** The text stored under that sha256. Throws `BLOB_MISSING`; `STORE_DAMAGED` if the content has another hash. */
  readBlob(hash: string): Promise<string>;

  /** Calls back (soon, coalesced) after somebody else has committed: another process, or another handle. Returns the way to stop. */
  watch(listener: () => void): () => void;
}

/** Who may write to a run, or use something else that only one may use at a time. */
export interface StoreLeases {
  /**
   * Takes a lease that is free, expired, or held under the token `replaces` (whose owner the caller knows to be dead).
   * Gives the new lease, with epoch + 1; or the lease of whoever holds it, unchanged.
   * From now on the store renews it by itself, whatever else the process does, until it is released, lost or the store closed.
   */
  takeLease(request: TakeLeaseRequest): Promise<{ readonly taken: boolean; readonly lease: Lease }>;

  /**
   * Those of these names that somebody has, by name, as they stand at one moment; also when expired, which each tells. What is free
   * is not among them. Thousands at once cost little more than one.
   */
  findLeases(names: readonly string[]): Promise<ReadonlyMap<string, Lease>>;

  /** Free at once for others. Not an error if it was lost already. */
  releaseLease(lease: Lease): Promise<void>;

  /** Called once for each lease of this store that turned out, at a renewal, to be someone else's or expired. Returns the way to stop. */
  onLeaseLost(listener: (lease: Lease) => void): () => void;

  /**
   * Calls back with the reason when leases of this store are not renewed any more, and with nothing when they are again:
   * meanwhile nothing may be started under them. Returns the way to stop.
   */
  onHeartbeat(listener: (trouble: string | undefined) => void): () => void;
}

/** What people and programs ask of runs. */
export interface StoreInbox {
  /** Puts a command into the inbox. The same id twice is the same command: the second changes nothing. */
  sendCommand(command: InboxCommand): Promise<void>;

  /** Undecided commands for a run, or for several, oldest first. Thousands of runs at once cost little more than one. */
  pendingCommands(runs: string | readonly string[]): Promise<InboxCommand[]>;

  findCommand(id: string): Promise<InboxCommand | undefined>;
}

/** What keeps a store sound and small. */
export interface StoreUpkeep {
  /** Below the free-space floor nothing new should be started. Cheap; looked up at most once a second. */
  hasRoom(): boolean;

  /** All runs, also those whose rows are damaged, for which `findRun` throws `STORE_DAMAGED` with the run in its details, and `listRuns`, unless `onDamaged` gets it. */
  listRunIds(): Promise<string[]>;

  /** What of the run's row differs from `expected`, each in words; empty = nothing. Throws `RUN_NOT_FOUND`. */
  compareRun(expected: RunRecord): Promise<string[]>;

  /**
   * Replaces the row of a run by one folded anew from its journal (projections can always be rebuilt).
   * Throws `RUN_NOT_FOUND`, and `SEQ_CONFLICT` if the journal does not end with the commit that it names.
   */
  rebuildRun(record: RunRecord): Promise<void>;

  /**
   * Cuts the journal after `lastGood` and adds `commit`, which tells what was lost: all in one transaction, under the lease,
   * so that no journal ever looks sound without saying so. Later commits are moved aside (kept, see `quarantined`), the
   * incarnation changes, snapshots past that point are dropped. `lastGood.seq` 0 moves everything aside.
   * Throws `RUN_NOT_FOUND`, `LEASE_LOST`, and `SEQ_CONFLICT` if the journal does not hold `lastGood`.
   */
  quarantine(request: QuarantineRequest): Promise<void>;

  /** What was moved aside, oldest first. */
  quarantined(run: string): Promise<StoredCommit[]>;

  /** The highest seq that anything outside the journal has seen of this run (a mirror); undefined without such a witness. */
  witnessedSeq(run: string): Promise<number | undefined>;

  /**
   * Removes whole runs (final ones only, unless `force`), and blobs nobody refers to.
   * A run whose row is damaged or is not that of its journal's end is kept.
   */
  prune(request: PruneRequest): Promise<Pruned>;

  /**
   * Whether other stores may keep their places in the same folder: then what this one does not know may be theirs, and in use.
   * True where nobody can tell.
   */
  mayShareFolder(): Promise<boolean>;

  /** Drops the blobs of a run but for those to keep, and those that others refer to. Gives how many have gone. See `preserve`. */
  dropBlobs(run: string, keep: readonly string[]): Promise<number>;

  /**
   * How large the store is, and what each of these runs would give back if they were removed in this order: a blob that several of
   * them share counts for the last of them, one that another run refers to for none. Runs that are not there are left out.
   */
  measure(runs: readonly string[]): Promise<StoreSize>;

  /**
   * Gives the space of what was removed back to the file system, in steps short enough for others to go on writing. `whole`: also
   * where that takes one long step for which nobody else may be at work. What cannot be given back stays usable inside of the store,
   * and the answer says why. Stops early, without an error, when the signal is given.
   */
  compact(options: CompactOptions): Promise<Compacted>;

  /**
   * A consistent copy of everything, while others go on writing.
   * Throws `BACKUP_EXISTS` rather than overwrite a file; `STORE_UNSUPPORTED` if this kind of store has nothing to copy.
   */
  backup(file: string, options?: BackupOptions): Promise<void>;

  /** Looks through the medium itself (not the chains). Each string names one damage; empty = sound. */
  checkMedium(): Promise<string[]>;

  /** How much is in it, for people. Counted as it is stored: nothing of it is verified. */
  figures(): Promise<StoreFigures>;
}

/**
 * What survives a crash. One contract, one conformance suite (`test/contracts/store.ts`), many adapters.
 *
 * Every method that changes something either does all of it durably before it resolves, or nothing.
 * Errors are PitonErrors; the codes are listed at the methods. Any method may throw
 * `STORE_DAMAGED` (the medium contradicts itself), `STORE_CLOSED`, `STORE_GONE` (somebody has deleted it), `STORE_BUSY` (another process kept it locked beyond
 * patience), `STORE_FULL` (no room; nothing was written; may be tried again), `STORE_READ_ONLY`, `STORE_FAILED` (the
 * medium could not be read or written; nothing was written). The one exception to all or nothing is `STORE_UNCERTAIN`:
 * the medium failed while committing and could not be asked afterwards, so the caller must read before it goes on.
 */
export interface Store extends StoreJournals, StoreLeases, StoreInbox, StoreUpkeep {
  /** As given to `open`, for people. */
  readonly url: string;
  /** `full` survives loss of power, `process` the death of any process, `none` neither. */
  readonly durability: 'full' | 'process' | 'none';
  /** The file of this machine that it is kept in, absolute: what belongs to it lies beside it. Absent if it is in none. */
  readonly file?: string;

  /** Releases what this store holds. Leases held by it become free. */
  close(): Promise<void>;
}

/** A text that is kept beside the journal, under its sha256. */
export interface Blob {
  readonly hash: string;
  readonly text: string;
}

export interface CommitRequest {
  readonly commit: StoredCommit;
  readonly blobs: readonly Blob[];
  readonly summary: RunSummary;
  readonly at: number;
}

/** A new run: its first commit, and the lease of whoever begins it. */
export interface CreateRunRequest extends CommitRequest {
  /** Of the run: what is written to it later is written under this name. */
  readonly lease: TakeLeaseRequest;
  /** The commit that creates a run may also end it: then the lease is not kept. */
  readonly release: boolean;
}

/** A run as another store has written it. Whoever gives it has verified it. */
export interface ImportRunRequest {
  /** Its row, as its journal tells it. */
  readonly record: RunRecord;
  /** All of them, in order. */
  readonly commits: readonly ImportedCommit[];
  /** All that the commits name. Read in the transaction, perhaps more than once: they need not be in memory together. */
  readonly blobs: Iterable<Blob>;
  /** Blobs of the store that must be there too: somebody may drop them meanwhile. */
  readonly needed?: readonly string[];
  readonly quarantined: readonly Omit<ImportedCommit, 'at'>[];
  /** Of its very end, without which a run that has dropped big values cannot be read. */
  readonly snapshot?: Snapshot;
  /** The name of its lease, and the highest epoch of its commits. */
  readonly lease: Pick<Lease, 'name' | 'epoch'>;
}

export interface ImportedCommit extends StoredCommit {
  readonly at: number;
  /** The blobs that it refers to, by hash. Those that were dropped are left out. */
  readonly blobs: readonly string[];
}

/** What a write shows of the lease that it is made under. */
export type HeldLease = Pick<Lease, 'name' | 'token'>;

/** One commit to an existing run, with all that belongs to the same transaction. */
export interface AppendRequest extends CommitRequest {
  readonly lease: HeldLease;
  readonly answers: readonly { readonly id: string; readonly answer: CommandAnswer }[];
  /** Ends the lease in the same transaction; commands still undecided are answered with `leftOver`. */
  readonly release?: { readonly leftOver?: CommandAnswer };
  /** In the same transaction, drops the blobs of the run's earlier commits but for these, and those that other runs refer to. */
  readonly dropBlobsBut?: readonly string[];
}

/** The row of a run: what lists show of it, and where its journal ends. */
export interface RunRecord extends RunSummary {
  readonly run: string;
  readonly seq: number;
  /** Of the last commit. */
  readonly hash: string;
  /** +1 each time the journal was cut back. */
  readonly incarnation: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** One change of a run: a commit, or, without `seq`, its removal. */
export interface RunChange {
  /** To go on from here. To be kept and given back, not to be looked into. */
  readonly cursor: string;
  readonly run: string;
  readonly seq?: number;
}

/** Which changes are read: those after a cursor, so many at most. */
export interface ChangesPage {
  readonly after?: string;
  readonly limit: number;
}

/** Which runs are listed. What is left out does not matter. */
export interface RunFilter {
  readonly status?: readonly RunSummary['status'][];
  readonly workflow?: string;
  /** Runs whose id begins so. */
  readonly prefix?: string;
  /** Runs whose agents have used something, on that day or on any (`any`). */
  readonly spentOn?: string;
  /** Runs with places of their own that are still there. */
  readonly hasPlaces?: true;
  /** Runs of this group. */
  readonly group?: string;
  /** Runs with all of these labels. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Runs whose name holds this text, whatever its case. */
  readonly name?: string;
  /** Runs that come after this one in the list: the last of a page, for the next. */
  readonly before?: Pick<RunRecord, 'run' | 'createdAt'>;
  /** At most so many sound ones: fewer are the last. */
  readonly limit?: number;
  /** Gets what is wrong with a row that is damaged, `STORE_DAMAGED`, and the others are given; without it, that is thrown. */
  onDamaged?(damage: PitonError): void;
}

/** A fold of the journal up to a commit, so that readers need not begin at the first. */
export interface Snapshot {
  readonly run: string;
  readonly seq: number;
  /** Of the commit at `seq`: a snapshot of another history is not used. */
  readonly hash: string;
  /** Of the fold that made it: another one is not used. */
  readonly format: number;
  readonly text: string;
}

/** Who asks for a lease, under which token, and for how long it holds without being renewed. */
export interface TakeLeaseRequest {
  readonly name: string;
  readonly owner: LeaseOwner;
  readonly token: string;
  readonly leaseMs: number;
  readonly replaces?: string;
  /** The run that is to be written under it, if it is one's. */
  readonly run?: string;
}

/** Where a damaged journal is cut, and the commit that says so. */
export interface QuarantineRequest extends CommitRequest {
  readonly lease: HeldLease;
  readonly lastGood: { readonly seq: number; readonly hash: string };
}

/** What a prune has removed and kept. */
export interface Pruned {
  readonly runs: number;
  readonly blobs: number;
  /** Those that would have gone, had they been sound. */
  readonly kept?: readonly { readonly run: string; readonly reason: string }[];
}

/** A final run is removed unless somebody holds its lease, and may be about to take it up again; any that is named, by `force`. */
export interface PruneRequest {
  /** Final runs last changed before this time. */
  readonly before?: number;
  /** Empty: nothing but what is left outside of the store of runs that were removed before. */
  readonly runs?: readonly string[];
  readonly force?: boolean;
  /** The hash with which a run's journal ended when it was chosen: one that ends with another by now is kept. */
  readonly heads?: ReadonlyMap<string, string>;
  /** The name of a run's lease. */
  leaseOf(run: string): string;
}

/** How a store is backed up. */
export interface BackupOptions {
  /** What was copied is looked through; if it is damaged there is no backup, and `STORE_DAMAGED` is thrown. */
  readonly isChecked?: boolean;
}

/** How large a store is. */
export interface StoreSize {
  /** What it takes of the disk, or of memory. */
  readonly bytes: number;
  /** So much of that is free for what is written next. */
  readonly freeBytes: number;
  /** What runs would give back, by their ids. */
  readonly runs: ReadonlyMap<string, RunSize>;
}

/** What a run would give back, without what the store needs to keep it in order. */
export interface RunSize {
  /** Its journal, its snapshots and what was moved aside. */
  readonly journal: number;
  /** Big values and transcripts that nobody else refers to. */
  readonly payloads: number;
}

/** How a store gives free space back. */
export interface CompactOptions {
  readonly whole: boolean;
  readonly signal?: AbortSignal;
}

/** What became of the free space of a store. */
export interface Compacted {
  /** How large it is now. */
  readonly bytes: number;
  /** Still free inside of it. */
  readonly freeBytes: number;
  /** Why that was not given back, for people. */
  readonly reason?: string;
}

/** How much a store holds. What a kind of store does not have is absent. */
export interface StoreFigures {
  /** Number of the format that its data has. */
  readonly format?: number;
  /** Of its file, without the log. */
  readonly bytes?: number;
  /** Of the log, which is copied into the file from time to time. */
  readonly logBytes?: number;
  /** Of the file, what is free for new data. */
  readonly freeBytes?: number;
  /** How many runs, by status. */
  readonly runs: Readonly<Partial<Record<RunSummary['status'], number>>>;
  readonly commits: number;
  readonly blobs: number;
  readonly snapshots: number;
  /** Commits that a repair has moved aside. */
  readonly quarantined: number;
  /** When the oldest run was created. */
  readonly oldestAt?: number;
  /** When anything was last committed. */
  readonly newestAt?: number;
}

/** What every store is opened with. */
export interface OpenStoreOptions {
  readonly durability: 'full' | 'process';
  readonly clock: Clock;
  /** The folder of its backups, which errors name; default: `backups` beside its file. */
  readonly backups?: string | undefined;
  /** It was made from a backup, and takes the place of a store later: nothing is kept of it when its format is changed. */
  readonly isCopy?: boolean;
}

/** Opens the store behind a URL of its scheme. Users register their own with `registerStore`. */
export type StoreOpener = (url: string, options: OpenStoreOptions) => Promise<Store>;

/** Which backup a store is brought back from. */
export interface RestoreStoreOptions {
  readonly backup: string;
}

/** Where a journal ends. */
export interface JournalEnd {
  readonly seq: number;
  readonly hash: string;
}

/** A store that was made from a backup, and waits to take the place of another one. */
export interface PreparedRestore {
  /** Of the new one. Open it to bring it up to date, and close it before it takes the place. */
  readonly url: string;
  /** Of the new one, until it takes the place. */
  readonly file: string;
  /** Where the journals of the store end that is to be replaced; undefined if that cannot be read. */
  readonly runs: ReadonlyMap<string, JournalEnd> | undefined;
  /**
   * All or nothing, also if the process is killed. `aside`: what the replaced store is called from now on; absent if there was none.
   * Throws `STORE_IN_USE`, `STORE_BUSY`.
   */
  replace(): Promise<{ readonly aside?: string }>;
  /** Removes what is left of it: all, if it has not taken the place. */
  discard(): Promise<void>;
}

/** What a URL means, before anything is opened. */
export interface StoreAddress {
  /** The same store, in whatever folder it is opened. */
  readonly url: string;
  /** As that of the store. */
  readonly file?: string;
}

/** Reads a URL of its scheme as written in `directory`. Touches nothing, and refuses nothing: that is for whoever opens it. */
export type StoreResolver = (url: string, directory: string) => StoreAddress;
