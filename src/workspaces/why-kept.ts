import type { CleanupPolicy } from '../model/index.ts';

/** Why a place stays, whatever is in it; undefined: it is to go. */
export function whyKept(policy: CleanupPolicy, hasSucceeded: boolean): string | undefined {
  if (policy === 'keep') return 'cleanup is keep';
  if (policy === 'remove-on-success' && !hasSucceeded)
    return 'its task did not succeed, and cleanup is remove-on-success';
  return undefined;
}
