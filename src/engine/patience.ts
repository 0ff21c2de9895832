import { asError, hasCode, type Clock } from '../base/index.ts';

const shortestRetryMs = 100;
const longestRetryMs = 5_000;
/** These pass: what was to be read or written waits until there is room, or the store is free. */
const passing = ['STORE_FULL', 'STORE_BUSY', 'STORE_FAILED', 'STORE_UNCERTAIN'];

export interface Patience {
  readonly clock: Clock;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  /** With the reason when the store cannot be used for now; with nothing when it can again. */
  stalled(reason: string | undefined): void;
}

/** Uses the store until that works, or cannot work: trouble that passes stalls a run, and does not end its driver. */
export async function patiently<T>({ clock, signal, stalled }: Patience, use: () => Promise<T>): Promise<T> {
  for (let delayMs = shortestRetryMs; ; delayMs = Math.min(delayMs * 2, longestRetryMs)) {
    try {
      const result = await use();
      stalled(undefined);
      return result;
    } catch (thrown) {
      if (!isPassing(thrown) || signal.aborted) throw thrown;
      stalled(asError(thrown).message);
      await clock.sleep(delayMs, signal);
    }
  }
}

export function isPassing(thrown: unknown): boolean {
  return passing.some((code) => hasCode(thrown, code));
}
