import { PitonError } from '../../base/index.ts';

interface Details {
  readonly remedy?: string;
  readonly [detail: string]: unknown;
}

/** Nothing was changed. */
export function refused(reason: string, details: Details = {}): PitonError {
  return new PitonError('MERGE_REFUSED', `Not merged: ${reason}.`, details);
}

/** There was one, maybe: `piton workspace clean` deletes those of runs that are merged. */
export function branchMissing(run: string, branch: string): PitonError {
  const why =
    'the run has brought nothing to it, or somebody deleted it, or it was deleted when all of it was merged';
  return new PitonError('NOTHING_TO_DELIVER', `There is no branch ${branch}: ${why}.`, {
    run,
    remedy: `See what became of it: piton history ${run}.`,
  });
}

export function nothingToDeliver(run: string, branch: string): PitonError {
  return new PitonError('NOTHING_TO_DELIVER', `Run ${run} has brought nothing to ${branch}.`, {
    run,
    remedy: `See what its tasks did: piton show ${run}.`,
  });
}
