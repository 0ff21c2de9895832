import type { Clock } from '../../base/index.ts';
import type { Lease, StoredCommit } from '../../model/index.ts';
import type { AppendRequest, Blob, CreateRunRequest, QuarantineRequest } from '../contract.ts';
import { cutMisplaced, leaseLost, runExists, runMissing, seqConflict } from '../refusals.ts';
import { Contradiction } from './faults.ts';
import type { Change } from './group-commit.ts';
import { answerCommands } from './inbox.ts';
import { findLease, leaseOf, putLease } from './leases.ts';
import { number, text, type Row } from './rows.ts';
import { sealed } from './runs.ts';
import type { Statements } from './statements.ts';

/** A commit under a lease. */
type Write = AppendRequest | QuarantineRequest;

export function createRun(request: CreateRunRequest, clock: Clock): Change<Lease> {
  const { commit, owner, token, leaseMs } = request;
  const { run, seq, hash } = commit;
  return {
    apply(statements) {
      const { changes } = statements.insertRun.run(...sealed({ run, seq, hash }, request));
      if (changes !== 1) throw runExists(run);
      writeCommit(statements, commit, request.blobs);
      const lease = putLease(statements, { name: leaseOf(run), owner, token, leaseMs }, clock.now());
      if (request.release) statements.freeLease.run({ name: lease.name, token });
      return lease;
    },
    landed: (statements) => holdsCommit(statements, commit),
  };
}

export function append(request: AppendRequest, clock: Clock): Change<void> {
  const { commit } = request;
  return {
    apply(statements) {
      const now = clock.now();
      if (advanceRun(statements, request, now) !== 1) throw whyRefused(statements, request, now);
      writeCommit(statements, commit, request.blobs);
      answerCommands(statements, request);
      if (request.release) statements.freeLease.run({ name: leaseOf(commit.run), token: request.token });
    },
    landed: (statements) => holdsCommit(statements, commit),
  };
}

function advanceRun(statements: Statements, { commit, summary, at, token }: Write, now: number) {
  return statements.advanceRun.run(...sealed(commit, { summary, at }), leaseOf(commit.run), token, now)
    .changes;
}

/** Only looked into when the row was not advanced: the hot path asks once. */
function whyRefused(statements: Statements, { commit, token }: Write, now: number): Error {
  const head = statements.findRun.get({ run: commit.run });
  if (head === undefined) return runMissing(commit.run);
  const lost = findLost(statements, { run: commit.run, token, now });
  return lost ?? seqConflict(commit.run, { given: commit.seq, head: number(head, 'seq') });
}

function findLost(
  statements: Statements,
  claim: { readonly run: string; readonly token: string; readonly now: number },
): Error | undefined {
  const name = leaseOf(claim.run);
  const lease = findLease(statements, name);
  const isOurs = lease !== undefined && lease.token === claim.token && lease.expiresAt > claim.now;
  return isOurs ? undefined : leaseLost(name, lease);
}

function writeCommit(statements: Statements, commit: StoredCommit, blobs: readonly Blob[]): void {
  const { run, seq } = commit;
  const { changes } = statements.insertCommit.run(run, seq, commit.body, commit.hash);
  if (changes !== 1) throw new Contradiction(`the row of run ${run} is gone`);
  for (const { hash, text } of blobs) {
    statements.insertBlob.run(hash, text);
    statements.insertBlobRef.run(run, seq, hash);
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

export function quarantine(request: QuarantineRequest, clock: Clock): Change<void> {
  const { commit, lastGood, blobs } = request;
  const { run } = commit;
  const { seq, hash } = lastGood;
  return {
    apply(statements) {
      const now = clock.now();
      checkCut(statements, request, now);
      statements.moveAside.run({ run, seq });
      statements.cutCommits.run({ run, seq });
      statements.cutSnapshots.run({ run, seq });
      statements.cutRun.run({ run, seq, hash, at: now });
      if (advanceRun(statements, request, now) !== 1) throw whyRefused(statements, request, now);
      writeCommit(statements, commit, blobs);
    },
    landed: (statements) => holdsCommit(statements, commit),
  };
}

function checkCut(
  statements: Statements,
  { commit: { run }, token, lastGood }: QuarantineRequest,
  now: number,
): void {
  if (statements.knowsRun.get({ run }) === undefined) throw runMissing(run);
  const lost = findLost(statements, { run, token, now });
  if (lost !== undefined) throw lost;
  if (lastGood.seq > 0 && !holdsCommit(statements, { run, ...lastGood })) {
    throw cutMisplaced(run, lastGood.seq);
  }
}

export function quarantined(statements: Statements, run: string): StoredCommit[] {
  return statements.quarantined.all({ run }).map((row) => toCommit(run, row));
}

function toCommit(run: string, row: Row): StoredCommit {
  return { run, seq: number(row, 'seq'), body: text(row, 'body'), hash: text(row, 'hash') };
}
