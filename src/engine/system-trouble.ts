import { asError, errorField, type Clock } from '../base/index.ts';

/**
 * The system lacks something for now (open files, processes, memory, room), or the disk fails. That is nobody's failure:
 * what has ended has ended as its exit record says.
 */
const troubles = new Set([
  'EMFILE',
  'ENFILE',
  'EAGAIN',
  'ENOMEM',
  'ENOBUFS',
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EIO',
  'ESTALE',
]);

const shortestRetryMs = 1_000;
const longestRetryMs = 30_000;

export function isSystemTrouble(thrown: unknown): boolean {
  for (let error: unknown = thrown; error !== undefined; error = errorField(asError(error), 'cause')) {
    if (troubles.has(String(errorField(asError(error), 'code')))) return true;
  }
  return false;
}

export interface Waiting {
  readonly clock: Clock;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  /** With the reason when it begins to wait; with nothing when it goes on. */
  stalled(reason: string | undefined): void;
}

/** Does the work again until the trouble has passed, or the signal is given. */
export async function throughTrouble<T>(
  { clock, signal, stalled }: Waiting,
  work: () => Promise<T>,
): Promise<T> {
  for (let delayMs = shortestRetryMs; ; delayMs = Math.min(delayMs * 2, longestRetryMs)) {
    try {
      const result = await work();
      stalled(undefined);
      return result;
    } catch (thrown) {
      if (!isSystemTrouble(thrown) || signal.aborted) throw thrown;
      stalled(asError(thrown).message);
      await clock.sleep(delayMs, signal);
    }
  }
}
