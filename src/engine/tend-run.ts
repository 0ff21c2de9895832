import { fold, type RunState } from '../kernel/index.ts';
import type { Event } from '../model/index.ts';
import { assertOwnRun } from './assert-own-run.ts';
import { findRun } from './chain.ts';
import { Journal } from './journal.ts';
import { loadRun } from './load-run.ts';
import { takenEvent } from './opening-events.ts';
import type { EnginePorts } from './options.ts';
import type { Answers } from './run-writer.ts';
import { takeRunLease } from './take-run-lease.ts';
import { Recorder } from './tell-observers.ts';

/** Under the lease of the run, so that nobody drives it meanwhile. */
export function tendRun(
  ports: EnginePorts,
  run: string,
  work: (state: RunState) => Promise<readonly Event[]>,
): Promise<RunState> {
  return amendRun(ports, run, async (state, add) => {
    add(await work(state));
    return [];
  });
}

/**
 * The same for work that adds to the run step by step, each seeing what came of those before, and answers commands. It becomes
 * durable as one commit, if there is any of it.
 */
export async function amendRun(
  ports: EnginePorts,
  run: string,
  work: (state: RunState, add: (events: readonly Event[]) => void) => Promise<Answers>,
): Promise<RunState> {
  const { store, clock, observers } = ports;
  await ports.permit?.();
  await findRun(store, run);
  const lease = await takeRunLease(ports, run);
  try {
    const loaded = await loadRun(store, run);
    const { state, head } = loaded;
    await assertOwnRun(ports, loaded);
    const events: Event[] = [];
    const answers = await work(state, (added) => {
      const first = events.length === 0 && added.length > 0 ? [takenEvent(lease.owner, lease.epoch)] : [];
      const position = { seq: head.seq + 1, at: Math.max(clock.now(), state.at) };
      for (const event of [...first, ...added]) fold(state, event, position);
      events.push(...first, ...added);
    });
    if (events.length === 0) return state;
    const journal = new Journal({ store, lease, head });
    await journal.append(state, events, { answers });
    // As for what a driver decides: a journal that has lost it must not pass for the whole.
    if (answers.length > 0 && store.durability !== 'none')
      await ports.spool.heads.raise(run, journal.head).catch(() => {});
    new Recorder(observers).tell(state, events, { cause: 'forced' });
    return state;
  } finally {
    await store.releaseLease(lease).catch(() => {});
  }
}
