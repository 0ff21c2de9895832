import { asError, hasCode, PitonError } from '../base/index.ts';
import type { StoredCommit } from '../model/index.ts';
import type { WrittenOrder } from '../spool/index.ts';
import type { Snapshot, Store } from '../store/index.ts';
import { findRun, readChain, type Chain } from './chain.ts';
import { blobsOf, genesis, type BlobRef } from './codec.ts';
import { missingIn, recordedHead, witnessesOf, type WitnessPorts, type Witnesses } from './witnesses.ts';
import { isOfDropped } from './drop-payloads.ts';
import { expectedRecord } from './expected-record.ts';
import { findSnapshotFaults } from './load-run.ts';
import { surveyCommits } from './survey-commits.ts';

/** One thing that is wrong with a run, and what to do about it. */
export interface RunFault {
  /**
   * Of the journal: everything from the first wrong commit on is lost. Of the row or a snapshot: it is made anew. Of the
   * run: the store does not have it any more. Of the spool: how far the run had come cannot be read there.
   */
  readonly in: 'journal' | 'row' | 'snapshot' | 'version' | 'run' | 'spool';
  readonly seq?: number;
  readonly what: string;
  readonly remedy: string;
}

export interface RunVerdict {
  readonly run: string;
  /** So many are good. */
  readonly commits: number;
  readonly ok: boolean;
  readonly firstBad?: number;
  /** The first fault. */
  readonly reason?: string;
  readonly faults: readonly RunFault[];
}

/**
 * Looks through the whole journal of a run, at everything it refers to, at what was derived from it, and at all that tells of it elsewhere. Goes on past damage, and
 * names all of it. Throws `RUN_NOT_FOUND`, and trouble that passes.
 */
export async function verifyRun(
  ports: WitnessPorts,
  run: string,
  orders?: readonly WrittenOrder[],
): Promise<RunVerdict> {
  const { commits, faults } = await lookThrough(ports, run, orders);
  const [first] = faults;
  if (first === undefined) return { run, commits, ok: true, faults };
  const firstBad = faults.find(({ in: where }) => where === 'journal')?.seq;
  return { run, commits, ok: false, ...(firstBad !== undefined && { firstBad }), reason: first.what, faults };
}

/** The same of all runs, and of those for which processes were started and which the store does not have. */
export async function verifyAllRuns(ports: WitnessPorts): Promise<RunVerdict[]> {
  // Before the store is asked: what is started meanwhile is in it.
  const orders = await ports.spool.orders();
  const runs = await ports.store.listRunIds();
  const verdicts: RunVerdict[] = [];
  for (const run of runs) {
    verdicts.push(await verifyRun(ports, run, orders).catch((thrown: unknown) => unreadable(run, thrown)));
  }
  return [...verdicts, ...(await lostRuns(ports, orders, runs))];
}

/** Others may be read all the same. */
function unreadable(run: string, thrown: unknown): RunVerdict {
  if (!(thrown instanceof PitonError) || thrown.code !== 'SPOOL_UNREADABLE') throw thrown;
  const { message, remedy = '' } = thrown;
  const what = message.slice(0, message.length - remedy.length).trim();
  return { run, commits: 0, ok: false, reason: what, faults: [{ in: 'spool', what, remedy }] };
}

/** Of a run that was removed on purpose no head is recorded, or also that it was to go. */
async function lostRuns(
  ports: WitnessPorts,
  orders: readonly WrittenOrder[],
  known: readonly string[],
): Promise<RunVerdict[]> {
  const gone = new Set(orders.map(({ run }) => run)).difference(new Set(known));
  const verdicts: RunVerdict[] = [];
  for (const run of gone) {
    const verdict = await lostRun(ports, run).catch((thrown: unknown) => unreadable(run, thrown));
    if (verdict !== undefined) verdicts.push(verdict);
  }
  return verdicts;
}

async function lostRun(ports: WitnessPorts, run: string): Promise<RunVerdict | undefined> {
  const head = await recordedHead(ports, run);
  if (head === undefined || (await ports.spool.heads.isPruned(run))) return undefined;
  const what = `the store does not have it, but it was at commit ${head.seq} when a process was started`;
  const remedy = `Restore the store, with its -wal file, from a backup. What its tasks printed is in the spool still.`;
  return { run, commits: 0, ok: false, reason: what, faults: [{ in: 'run', what, remedy }] };
}

interface Findings {
  readonly commits: number;
  readonly faults: readonly RunFault[];
}

async function lookThrough(
  ports: WitnessPorts,
  run: string,
  orders: readonly WrittenOrder[] | undefined,
): Promise<Findings> {
  const { store } = ports;
  try {
    const chain = await examineRun(ports, run, await witnessesOf(ports, run, orders));
    const { commits, damage } = chain;
    if (damage === undefined) return { commits: commits.length, faults: await derivedFaults(store, chain) };
    const first = { seq: damage.firstBad, what: damage.reason };
    const others = (await surveyCommits(store, run, damage.knownSeq)).filter(({ seq }) => seq > first.seq);
    return { commits: commits.length, faults: [first, ...others].map((fault) => inJournal(run, fault)) };
  } catch (thrown) {
    if (!hasCode(thrown, 'STORE_DAMAGED')) throw thrown;
    const faults = await surveyCommits(store, run);
    const found = faults.length > 0 ? faults : [{ seq: 1, what: asError(thrown).message }];
    return { commits: found[0]!.seq - 1, faults: found.map((fault) => inJournal(run, fault)) };
  }
}

function inJournal(run: string, { seq, what }: { readonly seq: number; readonly what: string }): RunFault {
  const remedy = `piton verify ${run} --repair goes back to ${run}@${seq - 1} and holds what may have run since; or restore a backup.`;
  return { in: 'journal', seq, what, remedy };
}

/** Of a sound journal: what lists, prune and snapshots say of it. */
async function derivedFaults(store: Store, { commits }: Chain): Promise<readonly RunFault[]> {
  const faults = await compareDerived(store, commits);
  return faults.length > 0 && (await hasChanged(store, commits)) ? [] : faults;
}

/** Somebody has written to it since, and its row is sound. */
async function hasChanged(store: Store, commits: readonly StoredCommit[]): Promise<boolean> {
  const { run, hash } = commits.at(-1)!;
  try {
    return (await findRun(store, run)).hash !== hash;
  } catch (thrown) {
    if (hasCode(thrown, 'STORE_DAMAGED')) return false;
    throw thrown;
  }
}

async function compareDerived(store: Store, commits: readonly StoredCommit[]): Promise<RunFault[]> {
  const remedy = `piton verify ${commits[0]!.run} --repair makes it anew from the journal.`;
  const wrong = await findSnapshotFaults(store, commits);
  const snapshots = wrong.map((what): RunFault => ({ in: 'snapshot', what, remedy }));
  try {
    const differing = await store.compareRun(await expectedRecord(store, commits));
    return [...differing.map((what): RunFault => ({ in: 'row', what, remedy })), ...snapshots];
  } catch (thrown) {
    if (!(thrown instanceof PitonError) || !unfoldable.has(thrown.code)) throw thrown;
    return [...snapshots, unfolded(thrown)];
  }
}

function unfolded({ message, remedy = '', details }: PitonError): RunFault {
  const seq = typeof details['seq'] === 'number' ? { seq: details['seq'] } : {};
  return { in: 'version', ...seq, what: message.replace(` ${remedy}`, ''), remedy };
}

/** The journal is what was written, and this Piton cannot make a state of it. */
const unfoldable: ReadonlySet<string> = new Set([
  'RUN_TOO_NEW',
  'RUN_UNREADABLE',
  'BLOB_MISSING',
  'STORE_DAMAGED',
]);

/**
 * The chain of a run up to the first commit that is wrong itself, refers to a value that is lost, or is missing although
 * the witnesses tell of it.
 */
export async function examineRun({ store }: WitnessPorts, run: string, witnesses: Witnesses): Promise<Chain> {
  const chain = await readChain(store, run);
  const { commits, damage } = chain;
  const fault = await findLostValue(store, commits);
  if (fault === undefined) return damage === undefined ? withEnd(store, commits, witnesses) : chain;
  const good = commits.slice(0, fault.seq - 1);
  const lastGood = { seq: good.length, hash: good.at(-1)?.hash ?? genesis };
  const knownSeq = Math.max(damage?.knownSeq ?? 0, commits.length);
  return { commits: good, damage: { lastGood, firstBad: fault.seq, knownSeq, reason: fault.reason } };
}

/** All commits are good; the last may be missing. */
async function withEnd(store: Store, commits: readonly StoredCommit[], witnesses: Witnesses): Promise<Chain> {
  const missing = await missingIn(store, commits, witnesses).catch(noneIfNewer);
  const last = commits.at(-1);
  if (missing === undefined || last === undefined) return { commits };
  const { seq, hash } = last;
  const knownSeq = Math.max(missing.seq, seq + 1);
  const reason = `it ends at commit ${seq}, but ${missing.reason}`;
  return { commits, damage: { lastGood: { seq, hash }, firstBad: seq + 1, knownSeq, reason } };
}

/** What a newer Piton has written is named by whoever makes a state of it. */
function noneIfNewer(thrown: unknown): undefined {
  if (!hasCode(thrown, 'RUN_TOO_NEW') && !hasCode(thrown, 'RUN_UNREADABLE')) throw thrown;
}

async function findLostValue(
  store: Store,
  commits: readonly StoredCommit[],
): Promise<{ seq: number; reason: string } | undefined> {
  const seen = new Set<string>();
  for (const commit of commits) {
    const reason = await lostValueIn(store, commit, { seen, commits });
    if (reason !== undefined) return { seq: commit.seq, reason: `commit ${commit.seq}: ${reason}` };
  }
  return undefined;
}

async function lostValueIn(
  store: Store,
  commit: StoredCommit,
  { seen, commits }: { readonly seen: Set<string>; readonly commits: readonly StoredCommit[] },
): Promise<string | undefined> {
  for (const blob of blobsOf(commit)) {
    const reason = seen.has(blob.hash) ? undefined : await lossOf(store, blob, { commit, commits });
    if (reason !== undefined) return reason;
    seen.add(blob.hash);
  }
  return undefined;
}

async function lossOf(
  store: Store,
  { name, hash }: BlobRef,
  { commit, commits }: { readonly commit: StoredCommit; readonly commits: readonly StoredCommit[] },
): Promise<string | undefined> {
  try {
    await store.readBlob(hash);
    return undefined;
  } catch (thrown) {
    if (hasCode(thrown, 'STORE_DAMAGED')) return asError(thrown).message;
    if (!hasCode(thrown, 'BLOB_MISSING')) throw thrown;
    const isDefinition = commit.seq === 1 && name === 'workflow';
    return !isDefinition && (await hasDropped(store, commits)) ? undefined : asError(thrown).message;
  }
}

/** A run that has succeeded may have dropped big values on purpose: see `preserve`. Asked when a value is missing, not before. */
export async function mayDrop(store: Store, run: string): Promise<boolean> {
  const { status, seq } = await findRun(store, run);
  return status === 'succeeded' && leftWithout(await store.loadSnapshot(run, seq), seq);
}

/** The same of commits that were verified, whatever the run's row says. */
async function hasDropped(store: Store, commits: readonly StoredCommit[]): Promise<boolean> {
  const { run, seq } = commits.at(-1)!;
  const isLast = leftWithout(await store.loadSnapshot(run, seq), seq);
  return isLast && commits.some(({ body }) => body.includes('"type":"run.succeeded"'));
}

/** Its very end is kept, and that is of a run which does without them. */
function leftWithout(snapshot: Snapshot | undefined, seq: number): boolean {
  return snapshot?.seq === seq && isOfDropped(snapshot);
}
