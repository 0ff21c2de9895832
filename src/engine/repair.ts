import { PitonError } from '../base/index.ts';
import { fold, isSettled, summaryOf, type RunState, type SpooledAttempt } from '../kernel/index.ts';
import { journalVersion, type Event, type StoredCommit, type TaskSpec } from '../model/index.ts';
import type { JournalHead, WrittenOrder } from '../spool/index.ts';
import { faultOf, type Damage } from './chain.ts';
import { encodeCommit } from './codec.ts';
import { isProcess } from './is-process.ts';
import { passCrashPoints } from './journal.ts';
import { foldCommits } from './load-run.ts';
import type { EnginePorts } from './options.ts';
import { takeRunLease } from './take-run-lease.ts';
import { examineRun } from './verify-run.ts';
import { isSpoolWhole, lostAttempts, spooledAttemptOf, witnessesOf } from './witnesses.ts';

/**
 * Cuts a damaged journal back to its last good commit. What lies beyond is kept aside, and whatever it may have done is
 * held for a person: Piton never restarts by itself what it has evidence of having done.
 */
export async function repairRun(
  ports: EnginePorts,
  run: string,
): Promise<{ held: readonly string[]; lastGood: number }> {
  const { store, clock, spool } = ports;
  const lease = await takeRunLease(ports, run);
  try {
    const witnesses = await witnessesOf(ports, run);
    const { commits, damage } = await examineRun(ports, run, witnesses);
    if (damage === undefined) return { held: [], lastGood: commits.length };
    if (commits.length === 0) throw beyondRepair(run);
    const { state, head } = await foldCommits(store, commits);
    const lost = await store.readCommits(run, { after: head.seq, limit: Number.MAX_SAFE_INTEGER });
    const started = await lostAttempts(store, commits, witnesses.orders);
    const spooled = started.flatMap((order) => spooledAttemptOf(order) ?? []);
    const isWhole = isSpoolWhole(witnesses);
    const held = mayHaveRun(state, { damage, lost, started, isWhole });
    const event = repaired(damage, held, { spooled, head: witnesses.head });
    const at = clock.now();
    fold(state, event, { seq: head.seq + 1, at });
    const { seq } = state;
    const commit = { run, seq, at, epoch: lease.epoch, version: journalVersion, events: [event] };
    const { stored, blobs } = encodeCommit(commit, head.hash);
    passCrashPoints('before', [event]);
    await store.quarantine({
      commit: stored,
      blobs,
      summary: summaryOf(state),
      at,
      token: lease.token,
      lastGood: head,
    });
    passCrashPoints('after', [event]);
    if (witnesses.head !== undefined) await spool.heads.replace(run, stored);
    return { held, lastGood: head.seq };
  } finally {
    await store.releaseLease(lease);
  }
}

function repaired(
  { lastGood, knownSeq, reason }: Damage,
  held: readonly string[],
  { spooled, head }: { readonly spooled: readonly SpooledAttempt[]; readonly head: JournalHead | undefined },
): Event {
  const text = `it may have run in commits ${lastGood.seq + 1} to ${knownSeq}, which are lost (${reason})`;
  const data = { lostFrom: lastGood.seq + 1, lostTo: knownSeq, held, reason: text };
  const known = { ...(spooled.length > 0 && { spooled }), ...(head !== undefined && { head }) };
  return { type: 'run.repaired', data: { ...data, ...known } };
}

interface Lost {
  readonly damage: Damage;
  readonly lost: readonly StoredCommit[];
  /** Attempts that the journal does not know any more. */
  readonly started: readonly WrittenOrder[];
  /** The spool has all of them. */
  readonly isWhole: boolean;
}

/**
 * If every lost commit can still be trusted, the tasks they name; else every task that has not settled. Of processes the
 * spool knows: what it tells of is taken up from there, and the others have not begun.
 */
function mayHaveRun(state: RunState, { damage, lost, started, isWhole }: Lost): string[] {
  const named = isAllThere(damage, lost) ? new Set(lost.flatMap(tasksNamed)) : undefined;
  const unclear = new Set(started.filter((order) => !spooledAttemptOf(order)).map(({ task }) => task));
  return [...state.tasks.values()]
    .filter(({ address, life }) => !isSettled(life) && (named?.has(address) ?? true))
    .filter(({ life }) => life.status !== 'running' || life.attempt !== undefined)
    .filter(({ address, spec }) => !isWhole || unclear.has(address) || !isSeenBySpool(spec))
    .map(({ address }) => address);
}

/** It is a process, or consists of tasks of its own. */
function isSeenBySpool(spec: TaskSpec): boolean {
  return isProcess(spec) || spec.work.type === 'workflow';
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
