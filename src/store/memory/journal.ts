import type { StoredCommit } from '../../model/index.ts';
import type { AppendRequest, CreateRunRequest, ImportRunRequest, QuarantineRequest } from '../contract.ts';
import { blobMissing, cutMisplaced, runExists, runMissing, seqConflict } from '../refusals.ts';
import { noteCommit, noteCut } from './changes.ts';
import { answer, answerLeftOver } from './inbox.ts';
import { freeLease, requireLease } from './leases.ts';
import type { Medium, MemoryRun } from './medium.ts';
import { dropBlobs } from './prune.ts';

/** Each function looks at everything that could refuse it before it changes anything: that is its transaction. */

export function createRun(medium: Medium, { commit, summary, at, blobs }: CreateRunRequest): void {
  const { run, seq, hash } = commit;
  if (medium.runs.has(run)) throw runExists(run);
  const record = Object.freeze({ ...summary, run, seq, hash, incarnation: 1, createdAt: at, updatedAt: at });
  const created: MemoryRun = {
    record,
    commits: [commit],
    snapshots: [],
    quarantined: [],
    blobRefs: new Set(),
  };
  medium.runs.set(run, created);
  noteCommit(medium, commit);
  keepBlobs(medium, created, blobs);
}

export function importRun(medium: Medium, request: ImportRunRequest): void {
  const { record, commits, quarantined, snapshot, lease } = request;
  const { run } = record;
  if (medium.runs.has(run)) throw runExists(run);
  const imported: MemoryRun = {
    record: Object.freeze({ ...record }),
    commits: commits.map(({ seq, body, hash }) => ({ run, seq, body, hash })),
    snapshots: snapshot === undefined ? [] : [snapshot],
    quarantined: quarantined.map(({ seq, body, hash }) => ({ run, seq, body, hash })),
    blobRefs: new Set(),
  };
  // All of it before anything is changed: what is read meanwhile may turn out to be unreadable.
  const blobs = [...request.blobs];
  const lost = request.needed?.find((hash) => !medium.blobs.has(hash));
  if (lost !== undefined) throw blobMissing(lost);
  medium.runs.set(run, imported);
  for (const commit of commits) noteCommit(medium, commit);
  keepBlobs(medium, imported, blobs);
  for (const hash of [...commits, ...quarantined].flatMap((each) => each.blobs))
    if (medium.blobs.has(hash)) imported.blobRefs.add(hash);
  const { epoch = 0, held } = medium.leases.get(lease.name) ?? {};
  medium.leases.set(lease.name, { epoch: Math.max(epoch, lease.epoch), held });
}

export function append(medium: Medium, request: AppendRequest, now: number): void {
  const { commit, summary, at, lease } = request;
  const { run, seq, hash } = commit;
  const found = requireRun(medium, run);
  requireLease(medium, lease, now);
  const { record } = found;
  if (seq !== record.seq + 1) throw seqConflict(run, { given: seq, head: record.seq });
  const { incarnation, createdAt } = record;
  found.commits.push(commit);
  noteCommit(medium, commit);
  found.record = Object.freeze({ ...summary, run, seq, hash, incarnation, createdAt, updatedAt: at });
  if (request.dropBlobsBut !== undefined) dropBlobs(medium, found, new Set(request.dropBlobsBut));
  keepBlobs(medium, found, request.blobs);
  for (const answered of request.answers) answer(medium, run, answered);
  if (request.release === undefined) return;
  freeLease(medium, lease.name, lease.token);
  answerLeftOver(medium, run, request.release.leftOver);
}

export function readCommits(
  medium: Medium,
  run: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): StoredCommit[] {
  const commits = medium.runs.get(run)?.commits ?? [];
  // They are numbered from 1 without a gap.
  return commits.slice(after, after + limit);
}

export function quarantine(medium: Medium, request: QuarantineRequest, now: number): void {
  const { commit, lease, summary, at, blobs } = request;
  const { run } = commit;
  const { seq, hash } = request.lastGood;
  const found = requireRun(medium, run);
  requireLease(medium, lease, now);
  if (seq > 0 && found.commits[seq - 1]?.hash !== hash) throw cutMisplaced(run, seq);
  if (commit.seq !== seq + 1) throw seqConflict(run, { given: commit.seq, head: seq });
  found.quarantined = [...found.quarantined, ...found.commits.slice(seq)];
  found.commits = [...found.commits.slice(0, seq), commit];
  noteCut(medium, run, seq);
  noteCommit(medium, commit);
  found.snapshots = found.snapshots.filter((snapshot) => snapshot.seq <= seq);
  const incarnation = found.record.incarnation + 1;
  const { createdAt } = found.record;
  found.record = Object.freeze({
    ...summary,
    run,
    seq: commit.seq,
    hash: commit.hash,
    incarnation,
    createdAt,
    updatedAt: at,
  });
  keepBlobs(medium, found, blobs);
}

export function requireRun(medium: Medium, run: string): MemoryRun {
  const found = medium.runs.get(run);
  if (found === undefined) throw runMissing(run);
  return found;
}

function keepBlobs(medium: Medium, run: MemoryRun, blobs: CreateRunRequest['blobs']): void {
  for (const { hash, text } of blobs) {
    if (!medium.blobs.has(hash)) medium.blobs.set(hash, text);
    run.blobRefs.add(hash);
  }
}
