import { isFinal } from '../../model/index.ts';
import type { Pruned, PruneRequest, RunSize, StoreSize } from '../contract.ts';
import { noteRemoval } from './changes.ts';
import { goneOn } from '../refusals.ts';
import { findLease, loseLease } from './leases.ts';
import type { Medium, MemoryRun } from './medium.ts';

export function prune(medium: Medium, request: PruneRequest, now: number): Pruned {
  let blobs = 0;
  const isHeld = ({ record }: MemoryRun): boolean =>
    findLease(medium, request.leaseOf(record.run), now)?.isExpired === false;
  const wanted = chosen(medium, request).filter((run) => mayGo(run, request, isHeld));
  const [leaving, changed] = splitByHead(wanted, request);
  for (const run of leaving) blobs += removeRun(medium, run, request);
  const kept = changed.map(({ record: { run } }) => ({ run, reason: goneOn }));
  return { runs: leaving.length, blobs, ...(kept.length > 0 && { kept }) };
}

/** Those that are as they were chosen, and those that were gone on with since. */
function splitByHead(runs: readonly MemoryRun[], { heads }: PruneRequest): [MemoryRun[], MemoryRun[]] {
  const isSame = ({ record: { run, hash } }: MemoryRun): boolean => (heads?.get(run) ?? hash) === hash;
  return [runs.filter(isSame), runs.filter((run) => !isSame(run))];
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

/** In characters: nobody asks how large a store in memory is to the byte. */
export function measure(medium: Medium, runs: readonly string[]): StoreSize {
  const leaving = runs.flatMap((run) => medium.runs.get(run) ?? []);
  const others = [...medium.runs.values()].filter((run) => !leaving.includes(run));
  const counted = new Set(others.flatMap(({ blobRefs }) => [...blobRefs]));
  const sizes = new Map<string, RunSize>();
  // From the last: what several share goes with the last of them.
  for (const run of leaving.toReversed()) {
    const own = [...run.blobRefs].filter((hash) => !counted.has(hash));
    for (const hash of own) counted.add(hash);
    sizes.set(run.record.run, { journal: journalLength(run), payloads: textLength(medium, own) });
  }
  const journals = [...medium.runs.values()].reduce((sum, run) => sum + journalLength(run), 0);
  const bytes = journals + textLength(medium, [...medium.blobs.keys()]);
  return { bytes, freeBytes: 0, runs: new Map([...sizes].toReversed()) };
}

function journalLength({ commits, snapshots, quarantined }: MemoryRun): number {
  const texts = [
    ...[...commits, ...quarantined].map(({ body }) => body),
    ...snapshots.map(({ text }) => text),
  ];
  return texts.reduce((sum, { length }) => sum + length, 0);
}

function textLength({ blobs }: Medium, hashes: readonly string[]): number {
  return hashes.reduce((sum, hash) => sum + (blobs.get(hash)?.length ?? 0), 0);
}
