import { asError, hasCode } from '../base/index.ts';
import type { RunState } from '../kernel/index.ts';
import type { Event } from '../model/index.ts';
import type { CommitExtras, Journal } from './journal.ts';
import type { EnginePorts } from './options.ts';
import { regainLease } from './take-run-lease.ts';

const shortestRetryMs = 100;
const longestRetryMs = 5_000;
/** These pass: the commit waits in memory until there is room, or the store is free. */
const passing = ['STORE_FULL', 'STORE_BUSY', 'STORE_FAILED', 'STORE_UNCERTAIN'];

export interface Writing {
  readonly ports: EnginePorts;
  readonly journal: Journal;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  /** With the reason when it cannot be written for now; with nothing when it could. */
  stalled(reason: string | undefined): void;
}

/** A checkpoint that cannot be written is never ignored: it is tried until it is durable, or cannot become so. */
export async function appendUntilDurable(
  writing: Writing,
  state: RunState,
  commit: { readonly events: readonly Event[]; readonly extras: CommitExtras },
): Promise<void> {
  const { ports, journal, signal, stalled } = writing;
  for (let delayMs = shortestRetryMs; ; delayMs = Math.min(delayMs * 2, longestRetryMs)) {
    try {
      await journal.append(state, commit.events, commit.extras);
      return stalled(undefined);
    } catch (thrown) {
      if (hasCode(thrown, 'LEASE_LOST') && (await regain(ports, journal))) continue;
      const canPass = passing.some((code) => hasCode(thrown, code));
      if (!canPass || signal.aborted) throw thrown;
      stalled(asError(thrown).message);
      await ports.clock.sleep(delayMs, signal);
    }
  }
}

export async function regain(ports: EnginePorts, journal: Journal): Promise<boolean> {
  const lease = await regainLease(ports, journal.lease);
  if (lease !== undefined) journal.lease = lease;
  return lease !== undefined;
}
