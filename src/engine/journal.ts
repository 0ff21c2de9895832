import { crashPoint, crashPointsArmed, hasCode } from '../base/index.ts';
import { summaryOf, type RunState } from '../kernel/index.ts';
import {
  journalVersion,
  type CommandAnswer,
  type Event,
  type Lease,
  type StoredCommit,
} from '../model/index.ts';
import type { Snapshot, Store } from '../store/index.ts';
import type { Head } from './chain.ts';
import { encodeCommit, type EncodedCommit } from './codec.ts';
import { sealSnapshot, type SnapshotLag } from './load-run.ts';

/** So many commits, and at least as much text as the last one has, and a snapshot pays. */
const commitsPerSnapshot = 400;
/** So many, if they are the last for now: from now on the run is mostly looked at. */
const commitsPerLastSnapshot = 100;
/** Not worth a thought, whatever it saves. */
const shortSnapshot = 256 * 1024;

export interface CommitExtras {
  readonly answers: readonly { readonly id: string; readonly answer: CommandAnswer }[];
  readonly release?: { readonly leftOver?: CommandAnswer };
  readonly dropBlobsBut?: readonly string[];
}

/** Writes the commits of one run, each chained to the last, under its lease. */
export class Journal {
  readonly #store: Store;
  #head: Head;
  #lease: Lease;
  #encoded: EncodedCommit | undefined;
  #isUncertain = false;
  #lag: SnapshotLag;

  /** `lag`: a run that is taken up often and goes on a little each time needs snapshots too. */
  constructor({
    store,
    lease,
    head,
    lag = { commits: 0, bytes: 0, snapshotBytes: 0 },
  }: {
    store: Store;
    lease: Lease;
    head: Head;
    lag?: SnapshotLag;
  }) {
    this.#store = store;
    this.#lease = lease;
    this.#head = head;
    this.#lag = lag;
  }

  get head(): Head {
    return this.#head;
  }

  get lease(): Lease {
    return this.#lease;
  }

  /** The same driver has got its lease back after it had run out. */
  set lease(lease: Lease) {
    this.#lease = lease;
    this.#encoded = undefined;
  }

  /** One durable row. May be called again with the same events after it threw: it is then the same commit. */
  async append(state: RunState, events: readonly Event[], extras: CommitExtras): Promise<void> {
    const { run, seq, at } = state;
    const { epoch, name, token } = this.#lease;
    this.#encoded ??= encodeCommit({ run, seq, at, epoch, version: journalVersion, events }, this.#head.hash);
    const { stored, blobs } = this.#encoded;
    if (this.#isUncertain && (await this.#hasLanded(stored))) return this.#landed(stored);
    passCrashPoints('before', events);
    try {
      await this.#store.append({
        commit: stored,
        blobs,
        summary: summaryOf(state),
        at,
        lease: { name, token },
        ...extras,
      });
    } catch (thrown) {
      this.#isUncertain = hasCode(thrown, 'STORE_UNCERTAIN');
      throw thrown;
    }
    this.#landed(stored);
    passCrashPoints('after', events);
  }

  /** Asked before a commit is tried again whose fate could not be found out. */
  async #hasLanded({ run, seq, hash }: StoredCommit): Promise<boolean> {
    const [found] = await this.#store.readCommits(run, { after: seq - 1, limit: 1 });
    return found?.hash === hash;
  }

  #landed(stored: StoredCommit): void {
    this.#isUncertain = false;
    this.#head = stored;
    const { commits, bytes, snapshotBytes } = this.#lag;
    this.#lag = { commits: commits + 1, bytes: bytes + stored.body.length, snapshotBytes };
    this.#encoded = undefined;
  }

  /** A snapshot costs about what was written since the last one. */
  get isSnapshotDue(): boolean {
    return this.#lags(commitsPerSnapshot);
  }

  /**
   * When the run is let go of: whoever looks at it later need not fold all of it. One that is not much shorter than what was written
   * would save nobody anything.
   */
  async saveLastSnapshot(state: RunState): Promise<void> {
    if (!this.#lags(commitsPerLastSnapshot)) return;
    const snapshot = sealSnapshot(state, this.#head);
    const { length } = snapshot.text;
    if (length > shortSnapshot && length * 2 > this.#lag.bytes) return;
    await this.#save(snapshot);
  }

  #lags(most: number): boolean {
    const { commits, bytes, snapshotBytes } = this.#lag;
    return commits >= most && bytes >= snapshotBytes;
  }

  saveSnapshot(state: RunState): Promise<void> {
    return this.#save(sealSnapshot(state, this.#head));
  }

  async #save(snapshot: Snapshot): Promise<void> {
    this.#lag = { commits: 0, bytes: 0, snapshotBytes: snapshot.text.length };
    await this.#store.saveSnapshot(snapshot);
    crashPoint('after:snapshot');
  }
}

export function passCrashPoints(when: 'before' | 'after', events: readonly Event[]): void {
  if (crashPointsArmed) for (const { type } of events) crashPoint(`${when}:${type}`);
}
