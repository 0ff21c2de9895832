import type { Clock } from '../../base/index.ts';
import type { Lease, StoredCommit } from '../../model/index.ts';
import type {
  AppendRequest,
  CommitRequest,
  CreateRunRequest,
  HeldLease,
  QuarantineRequest,
} from '../contract.ts';
import { cutMisplaced, leaseLost, runExists, runMissing, seqConflict } from '../refusals.ts';
import { newestNumber } from './changes.ts';
import { Contradiction } from './faults.ts';
import type { Change } from './group-commit.ts';
import { answerCommands } from './inbox.ts';
import { findLease, putLease } from './leases.ts';
import { dropBlobs } from './prune.ts';
import { number, text, type Row } from './rows.ts';
import { findRun, rowOf, sealedRow } from './runs.ts';
import { headSealOf } from './seal.ts';
import type { Statements } from './statements.ts';
import type { WrittenRows } from './written-rows.ts';

/** What the changes of one store share. */
export interface Writing {
  readonly clock: Clock;
  readonly rows: WrittenRows;
}

export function createRun(request: CreateRunRequest, { clock, rows }: Writing): Change<Lease> {
  const { commit, lease } = request;
  const { run, seq } = commit;
  const row = rowOf(request.summary);
  return {
    apply(statements) {
      const { changes } = statements.insertRun.run(...sealedRow(run, seq, row), request.at);
      if (changes !== 1) throw runExists(run);
      insertCommit(statements, request, null);
      const put = putLease(statements, lease, clock.now());
      if (request.release) statements.freeLease.run(lease.name, lease.token);
      return put;
    },
    landed: (statements) => holdsCommit(statements, commit),
    committed: () => void (request.release || rows.committed(lease.token, run, row)),
  };
}

export function append(request: AppendRequest, { clock, rows }: Writing): Change<void> {
  const { commit, lease } = request;
  const { run } = commit;
  const { token } = lease;
  const row = rowOf(request.summary);
  return {
    apply(statements) {
      const now = clock.now();
      if (appendCommit(statements, request, now) !== 1) throw whyRefused(statements, request, now);
      // Whoever lets go of a run says how far its journal goes: what is cut off of it afterwards is missed.
      if (request.release !== undefined || !rows.isWritten(token, run, row)) {
        // Unknown until it is committed: what follows in the same transaction must not count on it.
        rows.forget(token);
        statements.writeRun.run(...sealedRow(run, commit.seq, row));
      }
      if (request.dropBlobsBut !== undefined) dropBlobs(statements, run, request.dropBlobsBut);
      writeBlobs(statements, request);
      answerCommands(statements, request);
      if (request.release) statements.freeLease.run(lease.name, token);
    },
    landed: (statements) => holdsCommit(statements, commit),
    committed: () => (request.release ? rows.forget(token) : rows.committed(token, run, row)),
  };
}

function appendCommit(statements: Statements, request: AppendRequest, now: number) {
  const { commit, lease } = request;
  const { name, token } = lease;
  return statements.appendCommit.run(...sealedCommit(request), commit.body, name, token, now).changes;
}

/** In the order of the statements that write it; the body follows. */
function sealedCommit({ commit: { run, seq, hash }, summary: { settled, total }, at }: CommitRequest) {
  const seal = headSealOf({ run, seq, hash, at, settled, total });
  return [run, seq, hash, at, settled, total, seal] as const;
}

/** Only looked into when nothing was added: the hot path asks once. */
function whyRefused(statements: Statements, { commit, lease }: AppendRequest, now: number): Error {
  const { run, seq: given } = commit;
  if (statements.knowsRun.get({ run }) === undefined) return runMissing(run);
  const lost = findLost(statements, lease, now);
  return lost ?? seqConflict(run, { given, head: findRun(statements, run)!.seq });
}

function findLost(statements: Statements, { name, token }: HeldLease, now: number): Error | undefined {
  const lease = findLease(statements, name, now);
  const isOurs = lease !== undefined && lease.token === token && !lease.isExpired;
  return isOurs ? undefined : leaseLost(name, lease);
}

function insertCommit(statements: Statements, request: CommitRequest, number: number | null): void {
  const { run, body } = request.commit;
  const { changes } = statements.insertCommit.run(...sealedCommit(request), body, number);
  if (changes !== 1) throw new Contradiction(`the row of run ${run} is gone`);
  writeBlobs(statements, request);
}

function writeBlobs(statements: Statements, { commit, blobs }: CommitRequest): void {
  for (const { hash, text } of blobs) {
    statements.insertBlob.run(hash, text);
    statements.insertBlobRef.run(commit.run, commit.seq, hash);
  }
}

/** Whether the journal has that commit. */
export function holdsCommit(statements: Statements, { run, seq, hash }: Omit<StoredCommit, 'body'>): boolean {
  return statements.findCommitHash.get({ run, seq })?.['hash'] === hash;
}

export function readCommits(
  statements: Statements,
  run: string,
  page: { readonly after: number; readonly limit: number },
): StoredCommit[] {
  const rows = statements.readCommits.all({ run, after: page.after, limit: page.limit });
  return rows.map((row) => toCommit(run, row));
}

export function quarantine(request: QuarantineRequest, { clock, rows }: Writing): Change<void> {
  const { commit, lastGood, lease } = request;
  const { token } = lease;
  const { run } = commit;
  const { seq } = lastGood;
  const row = rowOf(request.summary);
  return {
    apply(statements) {
      checkCut(statements, request, clock.now());
      rows.forget(token);
      // The number of what is moved aside is not given again: whoever has heard of that would not hear of this.
      const number = newestNumber(statements) + 1;
      statements.moveAside.run({ run, seq });
      statements.cutCommits.run({ run, seq });
      statements.cutSnapshots.run({ run, seq });
      statements.cutRun.run({ run });
      insertCommit(statements, request, number);
      statements.writeRun.run(...sealedRow(run, commit.seq, row));
    },
    landed: (statements) => holdsCommit(statements, commit),
    committed: () => rows.committed(token, run, row),
  };
}

function checkCut(
  statements: Statements,
  { commit: { run, seq }, lease, lastGood }: QuarantineRequest,
  now: number,
): void {
  if (statements.knowsRun.get({ run }) === undefined) throw runMissing(run);
  const lost = findLost(statements, lease, now);
  if (lost !== undefined) throw lost;
  if (lastGood.seq > 0 && !holdsCommit(statements, { run, ...lastGood })) {
    throw cutMisplaced(run, lastGood.seq);
  }
  if (seq !== lastGood.seq + 1) throw seqConflict(run, { given: seq, head: lastGood.seq });
}

export function quarantined(statements: Statements, run: string): StoredCommit[] {
  return statements.quarantined.all({ run }).map((row) => toCommit(run, row));
}

function toCommit(run: string, row: Row): StoredCommit {
  return { run, seq: number(row, 'seq'), body: text(row, 'body'), hash: text(row, 'hash') };
}
