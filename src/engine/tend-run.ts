import { fold, type RunState } from '../kernel/index.ts';
import type { Event } from '../model/index.ts';
import { assertOwnRun } from './assert-own-run.ts';
import { findRun } from './chain.ts';
import { Journal } from './journal.ts';
import { loadRun } from './load-run.ts';
import { takenEvent } from './opening-events.ts';
import type { EnginePorts } from './options.ts';
import { takeRunLease } from './take-run-lease.ts';
import { Recorder } from './tell-observers.ts';

/** Under the lease of the run, so that nobody drives it meanwhile. */
export async function tendRun(
  ports: EnginePorts,
  run: string,
  work: (state: RunState) => Promise<readonly Event[]>,
): Promise<RunState> {
  const { store, clock, observers } = ports;
  await ports.permit?.();
  await findRun(store, run);
  const lease = await takeRunLease(ports, run);
  try {
    const loaded = await loadRun(store, run);
    const { state, head } = loaded;
    await assertOwnRun(ports, loaded);
    const found = await work(state);
    if (found.length === 0) return state;
    const events = [takenEvent(lease.owner, lease.epoch), ...found];
    const position = { seq: head.seq + 1, at: Math.max(clock.now(), state.at) };
    for (const event of events) fold(state, event, position);
    await new Journal({ store, lease, head }).append(state, events, { answers: [] });
    new Recorder(observers).tell(state, events);
    return state;
  } finally {
    await store.releaseLease(lease).catch(() => {});
  }
}
