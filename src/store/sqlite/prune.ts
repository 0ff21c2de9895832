import type { Clock } from '../../base/index.ts';
import { isFinal } from '../../model/index.ts';
import type { PruneRequest } from '../contract.ts';
import type { Change } from './group-commit.ts';
import { findLease, leaseOf } from './leases.ts';
import { text } from './rows.ts';
import { findRun } from './runs.ts';
import type { Statements } from './statements.ts';

export interface Pruned {
  readonly runs: number;
  readonly blobs: number;
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
      if (!mayGo(statements, run, { ...request, now: clock.now() })) return { runs: 0, blobs: 0 };
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
      statements.dropLease.run({ name: leaseOf(run) });
      return { runs: 1, blobs };
    },
  };
}

function mayGo(
  statements: Statements,
  run: string,
  { before, runs, force, now }: PruneRequest & { readonly now: number },
): boolean {
  const found = findRun(statements, run);
  if (found === undefined || (before !== undefined && found.updatedAt >= before)) return false;
  if (force === true && runs !== undefined) return true;
  const lease = findLease(statements, leaseOf(run));
  return isFinal(found.status) && (lease === undefined || lease.expiresAt <= now);
}

export function pruneBlobs({ run, keep }: NonNullable<PruneRequest['dropBlobs']>): Change<Pruned> {
  return { apply: (statements) => ({ runs: 0, blobs: dropBlobs(statements, run, keep) }) };
}

function dropBlobs(statements: Statements, run: string, keep: readonly string[]): number {
  const parameters = { run, keep: JSON.stringify(keep) };
  const { changes } = statements.dropOwnBlobs.run(parameters);
  statements.dropBlobRefs.run(parameters);
  return Number(changes);
}
