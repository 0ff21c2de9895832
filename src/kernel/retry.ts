import type { Failure, RetryPolicy } from '../model/index.ts';
import { matches, type Finds } from './classify.ts';

/** Whether another try is wanted at all after such a failure, however many there were. */
export function isRetried({ on, notOn }: RetryPolicy, failure: Failure, finds: Finds): boolean {
  if (!failure.retryable || notOn.some((pattern) => matches(pattern, failure, finds))) return false;
  if (on.some((pattern) => matches(pattern, failure, finds))) return true;
  return on.length === 0 && failure.class !== 'permanent';
}

/** Milliseconds until the next try after so many failures, where one is wanted; undefined if there were too many. */
export function retryDelay(
  policy: RetryPolicy,
  { failures, chance }: { failures: number; chance: number },
): number | undefined {
  if (failures >= policy.attempts) return undefined;
  const growth = Math.min(policy.factor ** (failures - 1), Number.MAX_VALUE);
  const full = Math.min(policy.backoffMs * growth, policy.maxBackoffMs);
  return Math.round(full * (1 - policy.jitter * chance));
}
