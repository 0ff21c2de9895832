import { asError, genesis, hasCode, PitonError } from '../base/index.ts';
import type { StoredCommit } from '../model/index.ts';
import type { WrittenOrder } from '../spool/index.ts';
import type { Snapshot, Store } from '../store/index.ts';
import { findRun, readChain, type Chain } from './chain.ts';
import { blobsOf, type BlobRef } from './codec.ts';
import { missingIn, recordedHead, witnessesOf, type WitnessPorts, type Witnesses } from './witnesses.ts';
import { droppedType, isOfDropped } from './drop-payloads.ts';
import { expectedRecord } from './expected-record.ts';
import { findSnapshotFaults, foldCommits, viewRun } from './load-run.ts';
import { surveyCommits } from './survey-commits.ts';
import type { RunFault, RunNote, RunVerdict } from './run-verdict.ts';
import { verifyAround, type Around } from './verify-around.ts';

/**
 * Looks through the whole journal of a run, at everything it refers to, at what was derived from it, and at all that tells of it elsewhere. Goes on past damage, and
 * names all of it. Throws `RUN_NOT_FOUND`, and trouble that passes.
 */
export async function verifyRun(
  ports: WitnessPorts,
  run: string,
  orders?: readonly WrittenOrder[],
): Promise<RunVerdict> {
  const { commits, faults, notes = [] } = await lookThrough(ports, run, orders);
  const noted = notes.length > 0 && { notes };
  const [first] = faults;
  if (first === undefined) return { run, commits, ok: true, faults, ...noted };
  const firstBad = faults.find(({ in: where }) => where === 'journal')?.seq;
  const bad = firstBad !== undefined && { firstBad };
  return { run, commits, ok: false, ...bad, reason: first.what, faults, ...noted };
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
  const consequence = 'whether its journal has lost its end is not known, and nobody goes on with it';
  return { run, commits: 0, ok: false, reason: what, faults: [{ in: 'spool', what, consequence, remedy }] };
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
  const consequence = 'nothing of it can be gone on with';
  const remedy = `Go back to a backup that has it: piton store restore. What its tasks printed is in the spool still.`;
  return { run, commits: 0, ok: false, reason: what, faults: [{ in: 'run', what, consequence, remedy }] };
}

interface Findings {
  readonly commits: number;
  readonly faults: readonly RunFault[];
  readonly notes?: readonly RunNote[];
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
    if (damage === undefined) return { commits: commits.length, ...(await besideJournal(ports, chain)) };
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
  const consequence = `commit ${seq} and all that follow it are lost`;
  return { in: 'journal', seq, what, consequence, remedy };
}

/** Of a sound journal: what lists, prune and snapshots say of it, and what it names outside of the store. */
async function besideJournal(ports: WitnessPorts, { commits }: Chain): Promise<Omit<Findings, 'commits'>> {
  const { faults, notes } = await compareDerived(ports, commits);
  if (faults.length > 0 && (await hasChanged(ports.store, commits))) return { faults: [] };
  return { faults, notes };
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

async function compareDerived(ports: WitnessPorts, commits: readonly StoredCommit[]): Promise<Around> {
  const { store } = ports;
  const remedy = `piton verify ${commits[0]!.run} --repair makes it anew from the journal.`;
  const derived = (kind: 'row' | 'snapshot', what: string): RunFault => {
    const consequence = kind === 'row' ? 'lists and decisions would go by it' : 'it is not used';
    return { in: kind, what, consequence, remedy };
  };
  const wrong = await findSnapshotFaults(store, commits);
  const snapshots = wrong.map((what) => derived('snapshot', what));
  try {
    const loaded = await foldCommits(store, commits);
    const differing = await store.compareRun(await expectedRecord(store, commits, loaded));
    const around = await verifyAround(ports, loaded.state);
    const rows = differing.map((what) => derived('row', what));
    return { faults: [...rows, ...snapshots, ...around.faults], notes: around.notes };
  } catch (thrown) {
    if (!(thrown instanceof PitonError) || !unfoldable.has(thrown.code)) throw thrown;
    return { faults: [...snapshots, unfolded(thrown)], notes: [] };
  }
}

function unfolded({ message, remedy = '', details }: PitonError): RunFault {
  const seq = typeof details['seq'] === 'number' ? { seq: details['seq'] } : {};
  const consequence = 'nobody goes on with it in this version of Piton';
  return { in: 'version', ...seq, what: message.replace(` ${remedy}`, ''), consequence, remedy };
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
export async function examineRun(
  { store }: Pick<WitnessPorts, 'store'>,
  run: string,
  witnesses: Witnesses,
): Promise<Chain> {
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
    const isOnPurpose = isDroppedLater(commits, commit.seq) || (await hasDropped(store, commits));
    return !isDefinition && isOnPurpose ? undefined : asError(thrown).message;
  }
}

/** A later commit says that the payloads of those before it were dropped to save room. */
function isDroppedLater(commits: readonly StoredCommit[], seq: number): boolean {
  return commits.some((commit) => commit.seq > seq && commit.body.includes(droppedType));
}

/**
 * Big values may have been dropped on purpose: after success (see `preserve`), or to save room. Asked when a value is missing, not
 * before.
 */
export async function mayDrop(store: Store, run: string): Promise<boolean> {
  const { status, seq } = await findRun(store, run);
  if (status === 'succeeded' && leftWithout(await store.loadSnapshot(run, seq), seq)) return true;
  return (await viewRun(store, run)).state.payloadsDroppedAt !== undefined;
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
