import { asError, errorField, type Clock } from '../base/index.ts';

/** The system lacks something for now (open files, processes, memory). That is nobody's failure, and passes. */
const shortages = new Set(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM']);

/** How long it is given to pass. */
const shortageMs = 1_000;

export function isShortage(thrown: unknown): boolean {
  for (let error: unknown = thrown; error !== undefined; error = errorField(asError(error), 'cause')) {
    if (shortages.has(String(errorField(asError(error), 'code')))) return true;
  }
  return false;
}

/** Does the work again until nothing is lacking for it, or the signal is given. */
export async function throughShortage<T>(
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (thrown) {
      if (!isShortage(thrown) || signal.aborted) throw thrown;
      await clock.sleep(shortageMs, signal);
    }
  }
}
