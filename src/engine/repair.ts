import { hasCode, PitonError } from '../base/index.ts';
import { fold, isSettled, summaryOf, type RunState, type SpooledAttempt } from '../kernel/index.ts';
import {
  isSeenBySpool,
  journalVersion,
  type Event,
  type Lease,
  type RunEvent,
  type StoredCommit,
} from '../model/index.ts';
import type { JournalHead, WrittenOrder } from '../spool/index.ts';
import { damaged, faultOf, readChain, type Chain, type Damage } from './chain.ts';
import { encodeCommit } from './codec.ts';
import { passCrashPoints } from './journal.ts';
import { expectedRecord } from './expected-record.ts';
import { foldCommits, mendSnapshots } from './load-run.ts';
import type { Store } from '../store/index.ts';
import type { EnginePorts } from './options.ts';
import { findHoles } from './spool-holes.ts';
import { takeRunLease } from './take-run-lease.ts';
import { examineRun } from './verify-run.ts';
import { isSpoolWhole, lostAttempts, spooledAttemptOf, witnessesOf, type Witnesses } from './witnesses.ts';

/** What `piton.repair` has done to a damaged run: the last commit that was kept, and the tasks that are held because they may have run since. */
export interface Repair {
  readonly held: readonly string[];
  readonly lastGood: number;
  /** Tasks whose attempts the journal had lost: what is in the spool is gone on with. */
  readonly takenUp?: readonly string[];
  /** What of the run's row was not as its journal tells it, and is now. */
  readonly mended?: readonly string[];
}

/**
 * Cuts a damaged journal back to its last good commit. What lies beyond is kept aside, and whatever it may have done is
 * held for a person: Piton never restarts by itself what it has evidence of having done. What is derived from the journal is made anew.
 */
export async function repairRun(ports: EnginePorts, run: string): Promise<Repair> {
  const { isCut: _, ...repair } = await takeBack(ports, run);
  return repair;
}

/** `isCut`: its journal was not as it should be, and has a commit more that says so. */
export async function takeBack(
  ports: EnginePorts,
  run: string,
  { isRestored = false, wentTo }: RepairOptions = {},
): Promise<Repair & { readonly isCut: boolean }> {
  const { store, spool } = ports;
  const lease = await takeRunLease(ports, run);
  try {
    const witnesses = await witnessesOf(ports, run);
    const { commits, damage } = withUnknownEnd(await examineRun(ports, run, witnesses), wentTo);
    if (commits.length === 0) throw beyondRepair(run);
    const { held, takenUp, stored } =
      damage === undefined
        ? { held: [], takenUp: [], stored: undefined }
        : await cutBack(ports, lease, { commits, damage, witnesses });
    // Of a store that is not in its place yet, nothing outside of it is changed: whoever goes on with the run does that then.
    if (stored !== undefined && witnesses.head !== undefined && !isRestored)
      await spool.heads.replace(run, stored, witnesses.head);
    const mended = await mend(store, run);
    return {
      held,
      isCut: stored !== undefined,
      lastGood: commits.length,
      ...(takenUp.length > 0 && { takenUp }),
      ...(mended.length > 0 && { mended }),
    };
  } finally {
    await store.releaseLease(lease);
  }
}

interface RepairOptions {
  /** The store was made from a backup, and is not in its place yet. */
  readonly isRestored?: boolean;
  /** The run went on to this commit, or may have, although nothing else may tell of it. */
  readonly wentTo?: number;
}

/** A journal that is sound, and lacks commits that were made since it was copied. */
function withUnknownEnd({ commits, damage }: Chain, wentTo: number | undefined): Chain {
  const last = commits.at(-1);
  if (wentTo === undefined || last === undefined) return { commits, ...(damage && { damage }) };
  if (damage !== undefined)
    return { commits, damage: { ...damage, knownSeq: Math.max(damage.knownSeq, wentTo) } };
  const { seq, hash } = last;
  const reason = 'the store was restored from a backup';
  return { commits, damage: { lastGood: { seq, hash }, firstBad: seq + 1, knownSeq: wentTo, reason } };
}

/** Under its lease, so that nothing is added meanwhile. */
async function mend(store: Store, run: string): Promise<string[]> {
  const { commits } = await readChain(store, run);
  await mendSnapshots(store, commits);
  const expected = await expectedRecord(store, commits);
  const differing = await store.compareRun(expected);
  if (differing.length > 0) await store.rebuildRun(expected);
  return differing;
}

/** What lists show of a run, folded anew. Whoever writes to it meanwhile writes that too. Throws `RUN_DAMAGED`. */
export async function rebuildRow(store: Store, run: string): Promise<void> {
  const { commits, damage } = await readChain(store, run);
  if (damage !== undefined) throw damaged(store, run, damage);
  try {
    await store.rebuildRun(await expectedRecord(store, commits));
  } catch (thrown) {
    if (!hasCode(thrown, 'SEQ_CONFLICT')) throw thrown;
  }
}

async function cutBack(
  { store, clock, spool, observers }: EnginePorts,
  lease: Lease,
  { commits, damage, witnesses }: Required<Chain> & { readonly witnesses: Witnesses },
): Promise<Pick<Repair, 'held'> & { readonly takenUp: readonly string[]; readonly stored: StoredCommit }> {
  const { state, head } = await foldCommits(store, commits);
  const { run } = state;
  const lost = await store.readCommits(run, { after: head.seq, limit: Number.MAX_SAFE_INTEGER });
  // A setup, the work and its check have the same number: which came first is told by how far the journal was.
  const started = (await lostAttempts(store, commits, witnesses.orders)).toSorted(
    (a, b) => (a.head?.seq ?? 0) - (b.head?.seq ?? 0),
  );
  const spooled = started.flatMap((order) => spooledAttemptOf(order) ?? []);
  const unclear = started.filter((order) => spooledAttemptOf(order) === undefined);
  // What has no task to be held yet would begin again when it has one.
  const isPlaced = unclear.every(({ task }) => state.tasks.has(task));
  const isWhole = isSpoolWhole(witnesses) && isPlaced && !(await spool.hasUnreadable());
  const isUnclear = new Set([...unclear.map(({ task }) => task), ...findHoles(state, started)]);
  const held = mayHaveRun(state, { damage, lost, isUnclear, isWhole });
  const event = repaired(damage, held, { spooled, unclear, head: witnesses.head });
  const at = clock.now();
  fold(state, event, { seq: head.seq + 1, at });
  const commit = { run, seq: state.seq, at, epoch: lease.epoch, version: journalVersion, events: [event] };
  const { stored, blobs } = encodeCommit(commit, head.hash);
  passCrashPoints('before', [event]);
  const summary = summaryOf(state);
  await store.quarantine({ commit: stored, blobs, summary, at, lease, lastGood: head });
  passCrashPoints('after', [event]);
  observers.tell({ ...event, run, seq: state.seq, at } as RunEvent);
  return { held, stored, takenUp: [...new Set(spooled.map(({ task }) => task))] };
}

interface Evidence {
  readonly spooled: readonly SpooledAttempt[];
  readonly unclear: readonly WrittenOrder[];
  readonly head: JournalHead | undefined;
}

function repaired(
  { lastGood, knownSeq, reason }: Damage,
  held: readonly string[],
  { spooled, unclear, head }: Evidence,
): Event {
  const text = `it may have run in commits ${lastGood.seq + 1} to ${knownSeq}, which are lost (${reason})`;
  const data = { lostFrom: lastGood.seq + 1, lostTo: knownSeq, held, reason: text };
  const known = {
    ...(spooled.length > 0 && { spooled }),
    ...(unclear.length > 0 && { unclear: unclear.map(({ attempt }) => attempt) }),
    ...(head !== undefined && { head: { seq: head.seq, hash: head.hash } }),
  };
  return { type: 'run.repaired', data: { ...data, ...known } };
}

interface Lost {
  readonly damage: Damage;
  readonly lost: readonly StoredCommit[];
  /** Tasks with attempts that the journal does not know any more, and whose folders are gone or do not tell how they began. */
  readonly isUnclear: ReadonlySet<string>;
  /** The spool has all of them. */
  readonly isWhole: boolean;
}

/**
 * If every lost commit can still be trusted, the tasks they name; else every task that has not settled. Of processes the
 * spool knows: what it tells of is taken up from there, and the others have not begun.
 */
function mayHaveRun(state: RunState, { damage, lost, isUnclear, isWhole }: Lost): string[] {
  const named = isAllThere(damage, lost) ? new Set(lost.flatMap(tasksNamed)) : undefined;
  return [...state.tasks.values()]
    .filter(({ address, life }) => !isSettled(life) && (named?.has(address) ?? true))
    .filter(({ life }) => life.status !== 'running' || life.attempt !== undefined)
    .filter(({ address, spec }) => !isWhole || isUnclear.has(address) || !isSeenBySpool(spec.work))
    .map(({ address }) => address);
}

/** A row that is not what was written may well have named another task: it counts as one that is gone. */
function isAllThere({ lastGood, knownSeq }: Damage, lost: readonly StoredCommit[]): boolean {
  let previous = lastGood;
  for (const commit of lost) {
    if (faultOf(commit, previous) !== undefined) return false;
    previous = commit;
  }
  return previous.seq >= knownSeq;
}

function tasksNamed({ body }: StoredCommit): string[] {
  const { events } = JSON.parse(body) as { events: { task?: string }[] };
  return events.flatMap(({ task }) => task ?? []);
}

function beyondRepair(run: string): PitonError {
  return new PitonError('RUN_LOST', `Not one commit of run ${run} is good: there is nothing to go back to.`, {
    run,
    remedy: 'Restore the store from a backup, or start a new run.',
  });
}
