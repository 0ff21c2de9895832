import { isFinal } from '../../model/index.ts';
import type { Pruned, PruneRequest } from '../contract.ts';
import { noteRemoval } from './changes.ts';
import { findLease, loseLease } from './leases.ts';
import type { Medium, MemoryRun } from './medium.ts';

export function prune(medium: Medium, request: PruneRequest, now: number): Pruned {
  let blobs = 0;
  const isHeld = ({ record }: MemoryRun): boolean =>
    findLease(medium, request.leaseOf(record.run), now)?.isExpired === false;
  const leaving = chosen(medium, request).filter((run) => mayGo(run, request, isHeld));
  for (const run of leaving) blobs += removeRun(medium, run, request);
  return { runs: leaving.length, blobs };
}

function chosen(medium: Medium, { runs, before }: PruneRequest): MemoryRun[] {
  if (runs === undefined) return before === undefined ? [] : [...medium.runs.values()];
  return [...new Set(runs)].flatMap((run) => medium.runs.get(run) ?? []);
}

/** `force` is for runs that were named: what was merely found by its age is never forced. */
function mayGo(
  run: MemoryRun,
  { before, runs, force }: PruneRequest,
  isHeld: (run: MemoryRun) => boolean,
): boolean {
  const { status, updatedAt } = run.record;
  if (before !== undefined && updatedAt >= before) return false;
  if (force === true && runs !== undefined) return true;
  return isFinal(status) && !isHeld(run);
}

function removeRun(medium: Medium, leaving: MemoryRun, { leaseOf }: PruneRequest): number {
  const { run } = leaving.record;
  const blobs = dropBlobs(medium, leaving, new Set());
  medium.runs.delete(run);
  noteRemoval(medium, run);
  loseLease(medium, leaseOf(run));
  for (const command of medium.inbox.values()) if (command.run === run) medium.inbox.delete(command.id);
  return blobs;
}

/** Drops what only this run refers to. */
export function dropBlobs(medium: Medium, run: MemoryRun | undefined, keep: ReadonlySet<string>): number {
  if (run === undefined) return 0;
  const dropped = [...run.blobRefs].filter((hash) => !keep.has(hash));
  for (const hash of dropped) run.blobRefs.delete(hash);
  const others = [...medium.runs.values()];
  const orphans = dropped.filter((hash) => !others.some(({ blobRefs }) => blobRefs.has(hash)));
  for (const hash of orphans) medium.blobs.delete(hash);
  return orphans.length;
}
