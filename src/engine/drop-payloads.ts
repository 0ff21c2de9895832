import { PitonError } from '../base/index.ts';
import { encodeState, fold, type RunState } from '../kernel/index.ts';
import type { CheckpointPolicy, Event } from '../model/index.ts';
import type { RunRecord, Snapshot, Store } from '../store/index.ts';
import { pagesOf, type Head } from './chain.ts';
import { blobsOf } from './codec.ts';
import { Journal } from './journal.ts';
import { loadRun, sealSnapshot, viewRun } from './load-run.ts';
import { takenEvent } from './opening-events.ts';
import type { EnginePorts } from './options.ts';
import { takeRunLease, type LeasePorts } from './take-run-lease.ts';

/**
 * After success, with `preserve: false`: a last snapshot keeps the result, and the big values of the steps on the way are
 * dropped, but for its definitions. The chain still verifies, since it holds their hashes; only going back to an earlier
 * checkpoint needs them, and events say which they lack. A crash in between costs nothing but the room.
 */
export async function dropPayloads(store: Store, state: RunState, head: Head): Promise<void> {
  await store.saveSnapshot(sealSnapshot(state, head));
  await store.dropBlobs(state.run, await definitionsOf(store, state.run));
}

/**
 * Drops the big values and transcripts of a run that has ended, to save room, and journals that, in one transaction. A snapshot from
 * before keeps what the run has come to, so that it can still be looked at, merged and gone on with. Throws `RUN_DRIVEN`.
 */
export async function dropPayloadsOf(
  ports: LeasePorts & Pick<EnginePorts, 'clock'>,
  run: string,
): Promise<void> {
  const { store, clock } = ports;
  const lease = await takeRunLease(ports, run);
  try {
    const { state, head } = await loadRun(store, run);
    const dropBlobsBut = await definitionsOf(store, run);
    await store.saveSnapshot(sealSnapshot(state, head));
    const events: Event[] = [
      takenEvent(lease.owner, lease.epoch),
      { type: 'payloads.dropped', data: { at: clock.now() } },
    ];
    // Nothing has happened in the run: it does not become younger by that.
    const position = { seq: head.seq + 1, at: state.at };
    for (const event of events) fold(state, event, position);
    await new Journal({ store, lease, head }).append(state, events, { answers: [], dropBlobsBut });
  } finally {
    await store.releaseLease(lease).catch(() => {});
  }
}

/**
 * What dropping the payloads of a run, so many bytes, gives back: the snapshot that keeps what the run has come to takes room too, and
 * repeats all that its tasks have given back. 0 if they were dropped before, or it cannot be read.
 */
export async function gainOf(store: Store, record: RunRecord, payloads: number): Promise<number> {
  const { run, seq } = record;
  const [last] = await store.readCommits(run, { after: seq - 1, limit: 1 });
  if (last === undefined || last.body.includes(droppedType)) return 0;
  try {
    const { state } = await viewRun(store, run);
    const snapshot = await store.loadSnapshot(run, seq);
    const added = snapshot?.seq === seq ? 0 : encodeState(state).length;
    return Math.max(payloads - added - JSON.stringify(state.workflow).length, 0);
  } catch (thrown) {
    if (thrown instanceof PitonError) return 0;
    throw thrown;
  }
}

/** As it stands in the body of a commit. */
export const droppedType = '"type":"payloads.dropped"';

/** Whether the run that this is the very last snapshot of has dropped values: others may have one too. What cannot be read may be of one. */
export function isOfDropped({ text }: Pick<Snapshot, 'text'>): boolean {
  try {
    const state = JSON.parse(text.slice(64)) as {
      readonly workflow?: { readonly checkpoint?: { readonly preserve?: CheckpointPolicy['preserve'] } };
    };
    return !state.workflow?.checkpoint?.preserve;
  } catch {
    return true;
  }
}

/** The one it began with, and those it went on with. */
async function definitionsOf(store: Store, run: string): Promise<string[]> {
  const kept = new Set<string>();
  for await (const page of pagesOf(store, run)) {
    for (const { name, hash } of page.flatMap(blobsOf)) if (name === 'workflow') kept.add(hash);
  }
  return [...kept];
}
