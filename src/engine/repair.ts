import { PitonError } from '../base/index.ts';
import { fold, isSettled, summaryOf, type RunState } from '../kernel/index.ts';
import { journalVersion, type Event, type StoredCommit } from '../model/index.ts';
import { findRun, readChain, type Damage } from './chain.ts';
import { encodeCommit } from './codec.ts';
import { passCrashPoints } from './journal.ts';
import { foldCommits } from './load-run.ts';
import type { EnginePorts } from './options.ts';
import { takeRunLease } from './take-run-lease.ts';

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
    const { commits, damage } = await readChain(store, await findRun(store, run));
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

/** If every lost commit can still be read, the tasks they name; else every task that has not settled. */
function mayHaveRun(
  state: RunState,
  { lastGood, knownSeq }: Damage,
  lost: readonly StoredCommit[],
): string[] {
  const named = new Set(
    lost.filter(({ seq }) => seq > lastGood.seq).flatMap((commit) => tasksNamed(commit) ?? []),
  );
  const readable = new Set(lost.filter((commit) => tasksNamed(commit) !== undefined).map(({ seq }) => seq));
  const isComplete = Array.from({ length: knownSeq - lastGood.seq }).every((_, index) =>
    readable.has(lastGood.seq + 1 + index),
  );
  return [...state.tasks.values()]
    .filter(({ address, life }) => !isSettled(life) && (!isComplete || named.has(address)))
    .filter(({ life }) => life.status !== 'running' || life.attempt !== undefined)
    .map(({ address }) => address);
}

/** A changed row may say anything: it is only ever a reason to hold more, so its text is taken as it is. */
function tasksNamed({ body }: StoredCommit): string[] | undefined {
  try {
    const { events } = JSON.parse(body) as { events: { task?: unknown }[] };
    return events.flatMap(({ task }) => (typeof task === 'string' ? [task] : []));
  } catch {
    return undefined;
  }
}

function beyondRepair(run: string): PitonError {
  return new PitonError('RUN_LOST', `Not one commit of run ${run} is good: there is nothing to go back to.`, {
    run,
    remedy: 'Restore the store from a backup, or start a new run.',
  });
}
