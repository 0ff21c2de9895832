import { readRetryMatch, type Failure, type RetryPolicy } from '../model/index.ts';

/** Milliseconds until the next try after so many failures, or undefined if there is to be none. */
export function retryDelay(
  policy: RetryPolicy,
  { failure, failures, chance }: { failure: Failure; failures: number; chance: number },
): number | undefined {
  if (!failure.retryable || failures >= policy.attempts || !isRetried(policy, failure)) return undefined;
  const growth = Math.min(policy.factor ** (failures - 1), Number.MAX_VALUE);
  const full = Math.min(policy.backoffMs * growth, policy.maxBackoffMs);
  return Math.round(full * (1 - policy.jitter * chance));
}

function isRetried({ on, notOn }: RetryPolicy, failure: Failure): boolean {
  if (notOn.some((pattern) => matches(pattern, failure))) return false;
  return on.length === 0 || on.some((pattern) => matches(pattern, failure));
}

/** That every pattern is one was checked when the workflow was defined. */
function matches(text: string, { code, message }: Failure): boolean {
  const match = readRetryMatch(text);
  if ('pattern' in match) return match.pattern.test(message);
  return 'code' in match && match.code === code;
}
