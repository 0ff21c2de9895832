import { hasCode, PitonError, sha256 } from '../base/index.ts';
import { decodeState, encodeState, foldCommit, snapshotFormat, type RunState } from '../kernel/index.ts';
import type { StoredCommit } from '../model/index.ts';
import type { Snapshot, Store } from '../store/index.ts';
import { checkpointNotFound, checkpointPruned, damaged, readAfter, readChain, type Head } from './chain.ts';
import { assertReadable, createDecoder } from './codec.ts';

/** A run as its journal tells it: the state, and the head to which the next commit is chained. */
export interface LoadedRun {
  readonly state: RunState;
  readonly head: Head;
  readonly lag: SnapshotLag;
}

/** What was written since the newest snapshot that could be used. */
export interface SnapshotLag {
  readonly commits: number;
  readonly bytes: number;
  /** The length of that snapshot; 0 without one. */
  readonly snapshotBytes: number;
}

/**
 * Reads a run, verifies the whole chain and folds it: from the newest snapshot that fits, else from the start.
 * `upTo` goes back to an earlier checkpoint. Throws `RUN_NOT_FOUND`, or `RUN_DAMAGED` with the last good commit.
 */
export async function loadRun(store: Store, run: string, upTo = Infinity): Promise<LoadedRun> {
  const loaded = await loadPatiently(store, run, upTo);
  const last = loaded.head.seq;
  if (upTo === Infinity || last === upTo) return loaded;
  throw checkpointNotFound({ run }, `checkpoint ${upTo}`, `Its checkpoints are 1 to ${last}`);
}

/**
 * The same for those who only look: of what lies before the newest snapshot nothing is read, and what lies after it is verified from
 * there on. Whoever drives a run, or verifies it, reads everything. If anything is not as it should be, so does this.
 */
export async function viewRun(store: Store, run: string, upTo = Infinity): Promise<LoadedRun> {
  try {
    const viewed = await viewFromSnapshot(store, run, upTo);
    if (viewed !== undefined) return viewed;
  } catch (thrown) {
    // As below: it may have been dropped meanwhile.
    if (!hasCode(thrown, 'BLOB_MISSING')) throw thrown;
  }
  return loadRun(store, run, upTo);
}

async function viewFromSnapshot(store: Store, run: string, upTo: number): Promise<LoadedRun | undefined> {
  const snapshot = await store.loadSnapshot(run, Math.min(upTo, Number.MAX_SAFE_INTEGER));
  const state = snapshot?.format === snapshotFormat ? openSnapshot(snapshot) : undefined;
  if (snapshot === undefined || state === undefined) return undefined;
  const commits = await readAfter(store, snapshot, upTo);
  if (commits === undefined) return undefined;
  // Who wrote the others knew no more than who wrote this one: a journal is not gone on with by an older version.
  assertReadable(commits[0]!);
  return foldTail(store, commits.slice(1), { state, text: snapshot.text, head: snapshot });
}

async function loadPatiently(store: Store, run: string, upTo: number): Promise<LoadedRun> {
  try {
    return await loadOnce(store, run, upTo);
  } catch (thrown) {
    if (!hasCode(thrown, 'BLOB_MISSING')) throw thrown;
  }
  // The run may have ended and dropped its big values while we were reading: then there is a snapshot now.
  try {
    return await loadOnce(store, run, upTo);
  } catch (thrown) {
    const isPruned = upTo !== Infinity && hasCode(thrown, 'BLOB_MISSING');
    throw isPruned ? checkpointPruned(run, upTo, thrown) : thrown;
  }
}

async function loadOnce(store: Store, run: string, upTo: number): Promise<LoadedRun> {
  const { commits, damage } = await readChain(store, run);
  if (damage !== undefined && damage.firstBad <= upTo) throw damaged(store, run, damage);
  return foldCommits(store, upTo === Infinity ? commits : commits.slice(0, upTo));
}

/** What a journal is folded with. */
export type FoldSource = Pick<Store, 'readBlob' | 'loadSnapshot'>;

/** The state after these commits, which are good and begin with the first. */
export async function foldCommits(store: FoldSource, commits: readonly StoredCommit[]): Promise<LoadedRun> {
  const last = commits.at(-1);
  if (last === undefined) throw new PitonError('RUN_NOT_FOUND', 'There is no such checkpoint.');
  const snapshot = await usableSnapshot(store, commits, last);
  const state = snapshot && openSnapshot(snapshot);
  const known = state?.seq ?? 0;
  for (let index = 0; index < known; index++) assertReadable(commits[index]!);
  const text = state === undefined ? '' : snapshot!.text;
  return foldTail(store, commits.slice(known), { state, text, head: last });
}

interface Beginning {
  readonly state: RunState | undefined;
  /** Of the snapshot that it is from. */
  readonly text: string;
  readonly head: Head;
}

/** What agents have said is of no account for the state, and is not read. */
async function foldTail(
  store: FoldSource,
  tail: readonly StoredCommit[],
  { state: from, text, head }: Beginning,
): Promise<LoadedRun> {
  const decode = createDecoder(store, { transcripts: false });
  let state = from;
  let bytes = 0;
  for (const stored of tail) {
    const decoded = decode(stored);
    state = foldCommit(state, decoded instanceof Promise ? await decoded : decoded);
    bytes += stored.body.length;
  }
  const { seq, hash } = tail.at(-1) ?? head;
  const lag = { commits: tail.length, bytes, snapshotBytes: text.length };
  return { state: state!, head: { seq, hash }, lag };
}

async function usableSnapshot(
  store: FoldSource,
  commits: readonly StoredCommit[],
  last: StoredCommit,
): Promise<Snapshot | undefined> {
  const snapshot = await store.loadSnapshot(last.run, last.seq);
  if (snapshot?.format !== snapshotFormat) return undefined;
  return commits[snapshot.seq - 1]?.hash === snapshot.hash ? snapshot : undefined;
}

/** What is wrong with the snapshots of a run that has these commits. They are not used then, which costs time, not truth. */
export async function findSnapshotFaults(store: Store, commits: readonly StoredCommit[]): Promise<string[]> {
  const faults: string[] = [];
  const { run } = commits[0]!;
  for (let upTo = Number.MAX_SAFE_INTEGER; ;) {
    const snapshot = await store.loadSnapshot(run, upTo);
    if (snapshot === undefined) return faults;
    const isWhole = isSealed(snapshot) && commits[snapshot.seq - 1]?.hash === snapshot.hash;
    if (!isWhole) faults.push(`the snapshot at ${run}@${snapshot.seq} is not what was written`);
    upTo = snapshot.seq - 1;
  }
}

/** Writes those anew that are not what was written. */
export async function mendSnapshots(store: Store, commits: readonly StoredCommit[]): Promise<void> {
  const { run } = commits[0]!;
  for (let upTo = Number.MAX_SAFE_INTEGER; ;) {
    const snapshot = await store.loadSnapshot(run, upTo);
    if (snapshot === undefined) return;
    const head = commits[snapshot.seq - 1];
    if (head !== undefined && !(isSealed(snapshot) && head.hash === snapshot.hash)) {
      const { state } = await foldCommits(store, commits.slice(0, head.seq));
      await store.saveSnapshot(sealSnapshot(state, head));
    }
    upTo = snapshot.seq - 1;
  }
}

/** A snapshot is not in the chain: its own checksum tells whether it is what was written. */
export function sealSnapshot(state: RunState, head: Head): Snapshot {
  const text = encodeState(state);
  return {
    run: state.run,
    seq: head.seq,
    hash: head.hash,
    format: snapshotFormat,
    text: sha256(text) + text,
  };
}

function openSnapshot({ text }: Snapshot): RunState | undefined {
  return isSealed({ text }) ? decodeState(text.slice(64)) : undefined;
}

function isSealed({ text }: Pick<Snapshot, 'text'>): boolean {
  return sha256(text.slice(64)) === text.slice(0, 64);
}
