import { asError, hasCode, type Clock } from '../../base/index.ts';
import { isFinal } from '../../model/index.ts';
import type { Pruned, PruneRequest, RunRecord } from '../contract.ts';
import { goneOn } from '../refusals.ts';
import { markRemoved } from './changes.ts';
import type { Change } from './group-commit.ts';
import { findLease } from './leases.ts';
import { text } from './rows.ts';
import { findRun } from './runs.ts';
import type { Statements } from './statements.ts';

export const nothingPruned: Pruned = { runs: 0, blobs: 0 };

export function addPruned(total: Pruned, { runs, blobs, kept = [] }: Pruned): Pruned {
  const all = [...(total.kept ?? []), ...kept];
  return { runs: total.runs + runs, blobs: total.blobs + blobs, ...(all.length > 0 && { kept: all }) };
}

/** The runs that a request is about; whether each may go is decided when it does. */
export function runsToPrune(statements: Statements, { runs, before }: PruneRequest): readonly string[] {
  if (runs !== undefined) return runs;
  if (before === undefined) return [];
  return statements.runsUnchangedSince.all({ before }).map((row) => text(row, 'run'));
}

/**
 * Removes one run with all that belongs to it. Blobs go with the last run that refers to them, so none is ever left
 * without one. `force` is for runs that were named: what was merely found by its age is never forced.
 */
export function pruneRun(run: string, request: PruneRequest, clock: Clock): Change<Pruned> {
  return {
    apply(statements) {
      const standing = mayGo(statements, run, { ...request, now: clock.now() });
      if (standing === false) return nothingPruned;
      if (standing !== true) return { ...nothingPruned, kept: [standing] };
      markRemoved(statements, run, clock.now());
      const blobs = dropBlobs(statements, run, []);
      for (const name of [
        'dropCommits',
        'dropQuarantine',
        'dropSnapshots',
        'dropCommands',
        'dropRun',
      ] as const) {
        statements[name].run({ run });
      }
      statements.dropLease.run({ name: request.leaseOf(run) });
      return { runs: 1, blobs };
    },
  };
}

type Standing = boolean | NonNullable<Pruned['kept']>[number];

type Judged = PruneRequest & { readonly now: number };

/** What is deleted cannot be brought back: its row must be what was written, and its journal as long as that says. */
function mayGo(statements: Statements, run: string, request: Judged): Standing {
  const isForced = request.force === true && request.runs !== undefined;
  if (isForced && request.before === undefined) return statements.knowsRun.get({ run }) !== undefined;
  try {
    const found = findRun(statements, run);
    if (found === undefined || found.updatedAt >= (request.before ?? Infinity)) return false;
    return isForced || mayGoUnforced(statements, found, request);
  } catch (thrown) {
    return damagedRun(run, thrown);
  }
}

function mayGoUnforced(statements: Statements, found: RunRecord, request: Judged): Standing {
  const { run, status } = found;
  if (!isFinal(status) || isTaken(statements, request.leaseOf(run), request.now)) return false;
  return isAsChosen(found, request) || { run, reason: goneOn };
}

function isAsChosen({ run, hash }: RunRecord, { heads }: PruneRequest): boolean {
  return (heads?.get(run) ?? hash) === hash;
}

/** Whoever has its lease may be about to take it up again. */
function isTaken(statements: Statements, name: string, now: number): boolean {
  return findLease(statements, name, now)?.isExpired === false;
}

function damagedRun(run: string, thrown: unknown): Standing {
  if (!hasCode(thrown, 'STORE_DAMAGED')) throw thrown;
  return { run, reason: asError(thrown).message };
}

export function pruneBlobs(run: string, keep: readonly string[]): Change<number> {
  return { apply: (statements) => dropBlobs(statements, run, keep) };
}

export function dropBlobs(statements: Statements, run: string, keep: readonly string[]): number {
  const parameters = { run, keep: JSON.stringify(keep) };
  const { changes } = statements.dropOwnBlobs.run(parameters);
  statements.dropBlobRefs.run(parameters);
  return Number(changes);
}
