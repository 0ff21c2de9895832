import { PitonError } from '../base/index.ts';
import { fold, isSettled, summaryOf, type RunState } from '../kernel/index.ts';
import { journalVersion, type Event, type StoredCommit } from '../model/index.ts';
import { faultOf, type Damage } from './chain.ts';
import { encodeCommit } from './codec.ts';
import { passCrashPoints } from './journal.ts';
import { foldCommits } from './load-run.ts';
import type { EnginePorts } from './options.ts';
import { takeRunLease } from './take-run-lease.ts';
import { examineRun } from './verify-run.ts';

/**
 * Cuts a damaged journal back to its last good commit. What lies beyond is kept aside, and whatever it may have done is
 * held for a person: Piton never restarts by itself what it has evidence of having done.
 */
export async function repairRun(
  ports: EnginePorts,
  run: string,
): Promise<{ held: readonly string[]; lastGood: number }> {
  const { store, clock } = ports;
  const lease = await takeRunLease(ports, run);
  try {
    const { commits, damage } = await examineRun(store, run);
    if (damage === undefined) return { held: [], lastGood: commits.length };
    if (commits.length === 0) throw beyondRepair(run);
    const { state, head } = await foldCommits(store, commits);
    const lost = await store.readCommits(run, { after: head.seq, limit: Number.MAX_SAFE_INTEGER });
    const held = mayHaveRun(state, damage, lost);
    const event = repaired(damage, held);
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
    return { held, lastGood: head.seq };
  } finally {
    await store.releaseLease(lease);
  }
}

function repaired({ lastGood, knownSeq, reason }: Damage, held: readonly string[]): Event {
  const text = `it may have run in commits ${lastGood.seq + 1} to ${knownSeq}, which are lost (${reason})`;
  return { type: 'run.repaired', data: { lostFrom: lastGood.seq + 1, lostTo: knownSeq, held, reason: text } };
}

/** If every lost commit can still be trusted, the tasks they name; else every task that has not settled. */
function mayHaveRun(state: RunState, damage: Damage, lost: readonly StoredCommit[]): string[] {
  const named = isAllThere(damage, lost) ? new Set(lost.flatMap(tasksNamed)) : undefined;
  return [...state.tasks.values()]
    .filter(({ address, life }) => !isSettled(life) && (named?.has(address) ?? true))
    .filter(({ life }) => life.status !== 'running' || life.attempt !== undefined)
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
