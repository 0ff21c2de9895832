import type { Failure, RetryPolicy } from '../model/index.ts';
import { matches } from './classify.ts';

/** Whether another try is wanted at all after such a failure, however many there were. */
export function isRetried({ on, notOn }: RetryPolicy, failure: Failure): boolean {
  if (!failure.retryable || notOn.some((pattern) => matches(pattern, failure))) return false;
  if (on.some((pattern) => matches(pattern, failure))) return true;
  return on.length === 0 && failure.class !== 'permanent';
}

/** Milliseconds until the next try after so many failures, or undefined if there is to be none. */
export function retryDelay(
  policy: RetryPolicy,
  { failure, failures, chance }: { failure: Failure; failures: number; chance: number },
): number | undefined {
  if (failures >= policy.attempts || !isRetried(policy, failure)) return undefined;
  const growth = Math.min(policy.factor ** (failures - 1), Number.MAX_VALUE);
  const full = Math.min(policy.backoffMs * growth, policy.maxBackoffMs);
  return Math.round(full * (1 - policy.jitter * chance));
}
