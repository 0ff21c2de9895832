import type { RunStatus, RunSummary, Spent } from '../../model/index.ts';
import type { RunFilter, RunRecord } from '../contract.ts';
import { runMissing } from '../refusals.ts';
import { Contradiction } from './faults.ts';
import type { Change } from './group-commit.ts';
import { number, optionalNumber, optionalText, text, type Row } from './rows.ts';
import type { Statements } from './statements.ts';

export function findRun(statements: Statements, run: string): RunRecord | undefined {
  const row = statements.findRun.get({ run });
  return row && toRecord(row);
}

export function listRuns(statements: Statements, filter: RunFilter): RunRecord[] {
  const rows = statements.listRuns.all({
    statuses: filter.status === undefined ? null : JSON.stringify(filter.status),
    workflow: filter.workflow ?? null,
    prefix: filter.prefix ?? null,
    spentOn: filter.spentOn ?? null,
    hasPlaces: filter.hasPlaces === true ? 1 : null,
    limit: filter.limit ?? -1,
  });
  return rows.map(toRecord);
}

export function rebuildSummary(run: string, summary: RunSummary): Change<void> {
  return {
    apply(statements) {
      const { changes } = statements.updateSummary.run(run, ...summaryColumns(summary));
      if (changes !== 1) throw runMissing(run);
    },
  };
}

/** In the order of the statements that write them. */
export function summaryColumns(summary: RunSummary): readonly (string | number | null)[] {
  const { spent } = summary;
  return [
    summary.workflow,
    summary.workflowHash,
    summary.status,
    summary.settled,
    summary.total,
    summary.wakeAt ?? null,
    summary.reason ?? null,
    spent === undefined ? null : JSON.stringify(spent),
    summary.places ?? null,
  ];
}

function toRecord(row: Row): RunRecord {
  const wakeAt = optionalNumber(row, 'wake_at');
  const reason = optionalText(row, 'reason');
  const spent = optionalText(row, 'spent');
  const places = optionalNumber(row, 'places');
  return Object.freeze({
    run: text(row, 'run'),
    seq: number(row, 'seq'),
    hash: text(row, 'hash'),
    incarnation: number(row, 'incarnation'),
    createdAt: number(row, 'created_at'),
    updatedAt: number(row, 'updated_at'),
    workflow: text(row, 'workflow'),
    workflowHash: text(row, 'workflow_hash'),
    status: toStatus(text(row, 'status')),
    settled: number(row, 'settled'),
    total: number(row, 'total'),
    ...(wakeAt === undefined ? {} : { wakeAt }),
    ...(reason === undefined ? {} : { reason }),
    ...(places === undefined ? {} : { places }),
    ...(spent === undefined ? {} : { spent: JSON.parse(spent) as Spent }),
  });
}

const statuses: Readonly<Record<RunStatus, true>> = {
  running: true,
  delayed: true,
  held: true,
  paused: true,
  stalled: true,
  succeeded: true,
  failed: true,
  cancelled: true,
};

function toStatus(status: string): RunStatus {
  if (!Object.hasOwn(statuses, status)) throw new Contradiction(`there is no run status '${status}'`);
  return status as RunStatus;
}
