import { PitonError } from '../../base/index.ts';
import type { RunStatus, RunSummary, Spent } from '../../model/index.ts';
import type { RunFilter, RunRecord } from '../contract.ts';
import { cutMisplaced, runMissing } from '../refusals.ts';
import { Contradiction } from './faults.ts';
import type { Change } from './group-commit.ts';
import { number, optionalNumber, optionalText, record, text, type Row } from './rows.ts';
import { sealedColumns, sealOf } from './seal.ts';
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
  return rows.flatMap((row) => {
    try {
      return [toRecord(row)];
    } catch (thrown) {
      if (filter.onDamaged === undefined || !(thrown instanceof PitonError)) throw thrown;
      filter.onDamaged(thrown);
      return [];
    }
  });
}

/** Also of those whose rows cannot be read. */
export function listRunIds(statements: Statements): string[] {
  return statements.listRunIds.all().map((row) => text(row, 'run'));
}

export function rebuildRun(record: RunRecord): Change<void> {
  const { run, seq } = record;
  return {
    apply(statements) {
      const values = sealed(record, { summary: record, at: record.updatedAt });
      const { changes } = statements.rebuildRun.run(...values, record.createdAt, record.incarnation);
      if (changes === 1) return;
      throw statements.knowsRun.get({ run }) === undefined ? runMissing(run) : cutMisplaced(run, seq);
    },
  };
}

/** Each column of the run's row that is not as it should be, in words. */
export function compareRun(statements: Statements, expected: RunRecord): string[] {
  const { run } = expected;
  const row = statements.findRun.get({ run });
  if (row === undefined) throw runMissing(run);
  const values = sealed(expected, { summary: expected, at: expected.updatedAt });
  const columns: Readonly<Record<string, unknown>> = {
    ...Object.fromEntries([...sealedColumns, 'seal'].map((name, index) => [name, values[index]])),
    created_at: expected.createdAt,
    incarnation: expected.incarnation,
  };
  return Object.entries(columns)
    .filter(([name, value]) => row[name] !== value)
    .map(([name, value]) => `the column ${name} of its row is ${shown(row[name])}, not ${shown(value)}`);
}

function shown(value: unknown): string {
  const text = value instanceof Uint8Array ? 'bytes' : (JSON.stringify(value) ?? 'missing');
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** The sealed columns and their seal, in the order of the statements that write them. */
export function sealed(
  { run, seq, hash }: { readonly run: string; readonly seq: number; readonly hash: string },
  { summary, at }: { readonly summary: RunSummary; readonly at: number },
): readonly (string | number | null)[] {
  const { spent } = summary;
  const values: (string | number | null)[] = [
    run,
    seq,
    hash,
    at,
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
  values.push(sealOf(values));
  return values;
}

/** Throws `STORE_DAMAGED`, with the run and what its row says of the end of its journal. */
function toRecord(row: Row): RunRecord {
  try {
    return readRecord(row);
  } catch (thrown) {
    throw thrown instanceof Contradiction ? rowDamaged(row, thrown) : thrown;
  }
}

function readRecord(row: Row): RunRecord {
  const read = { ...wholeRecord(row), ...optionalParts(row) };
  const isSealed = row['seal'] === sealOf(sealedColumns.map((name) => row[name]));
  if (!isSealed) throw new Contradiction('its seal is broken: one of its columns is not what was written');
  return Object.freeze(read);
}

function wholeRecord(row: Row) {
  return {
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
  };
}

function optionalParts(row: Row): Pick<RunRecord, 'wakeAt' | 'reason' | 'places' | 'spent'> {
  const wakeAt = optionalNumber(row, 'wake_at');
  const reason = optionalText(row, 'reason');
  const spent = optionalText(row, 'spent');
  const places = optionalNumber(row, 'places');
  return {
    ...(wakeAt === undefined ? {} : { wakeAt }),
    ...(reason === undefined ? {} : { reason }),
    ...(places === undefined ? {} : { places }),
    ...(spent === undefined ? {} : { spent: record(spent, 'spent', {}) as Spent }),
  };
}

function rowDamaged(row: Row, cause: Contradiction): PitonError {
  const { run, seq, hash } = row;
  return new PitonError('STORE_DAMAGED', `The row of run ${shown(run)} is damaged: ${cause.message}.`, {
    run,
    seq,
    hash,
    cause,
    remedy: `It can be made anew from the journal: piton verify ${typeof run === 'string' ? `${run} ` : ''}--repair.`,
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
