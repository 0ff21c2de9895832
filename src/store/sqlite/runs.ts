import { PitonError } from '../../base/index.ts';
import type { RunAbout, RunStatus, RunSummary, Spent } from '../../model/index.ts';
import type { RunFilter, RunRecord } from '../contract.ts';
import { asksForAbout, isAbout } from '../filter-about.ts';
import { cutMisplaced, runMissing } from '../refusals.ts';
import { Contradiction } from './faults.ts';
import type { Change } from './group-commit.ts';
import { number, optionalNumber, optionalText, record, text, type Row } from './rows.ts';
import { headSealOf, sealedColumns, sealOfRow } from './seal.ts';
import type { Statements } from './statements.ts';

export function findRun(statements: Statements, run: string): RunRecord | undefined {
  const row = statements.findRun.get({ run });
  return row && toRecord(row);
}

export function listRuns(statements: Statements, filter: RunFilter): RunRecord[] {
  const { before, limit = Infinity } = filter;
  const records: RunRecord[] = [];
  if (limit <= 0) return records;
  for (const row of before === undefined
    ? allRows(statements, filter)
    : rowsBefore(statements, filter, before)) {
    const found = unlessDamaged(row, filter);
    if (found === undefined || !isAbout(found, filter)) continue;
    if (records.push(found) >= limit) break;
  }
  return records;
}

function allRows(statements: Statements, filter: RunFilter): Iterable<Row> {
  return statements.listRuns.iterate(parametersOf(filter));
}

function rowsBefore(statements: Statements, filter: RunFilter, before: NonNullable<RunFilter['before']>) {
  const page = { createdAt: before.createdAt, before: before.run };
  return statements.listRunsBefore.iterate({ ...parametersOf(filter), ...page });
}

function parametersOf(filter: RunFilter) {
  const { status, workflow, prefix, spentOn, hasPlaces } = filter;
  return {
    statuses: status === undefined ? null : JSON.stringify(status),
    workflow: workflow ?? null,
    prefix: prefix ?? null,
    spentOn: spentOn ?? null,
    hasPlaces: hasPlaces === true ? 1 : null,
    hasAbout: asksForAbout(filter) ? 1 : null,
  };
}

function unlessDamaged(row: Row, { onDamaged }: RunFilter): RunRecord | undefined {
  try {
    return toRecord(row);
  } catch (thrown) {
    if (onDamaged === undefined || !(thrown instanceof PitonError)) throw thrown;
    onDamaged(thrown);
    return undefined;
  }
}

/** Also of those whose rows cannot be read. */
export function listRunIds(statements: Statements): string[] {
  return statements.listRunIds.all().map((row) => text(row, 'run'));
}

export function rebuildRun(record: RunRecord): Change<void> {
  const { run, seq, hash } = record;
  return {
    apply(statements) {
      const row = sealedRow(run, seq, rowOf(record));
      const { changes } = statements.rebuildRun.run(...row, record.createdAt, record.incarnation, hash);
      if (changes !== 1) {
        throw statements.knowsRun.get({ run }) === undefined ? runMissing(run) : cutMisplaced(run, seq);
      }
      const { updatedAt: at, settled, total } = record;
      const seal = headSealOf({ run, seq, hash, at, settled, total });
      statements.rebuildHead.run(run, seq, at, settled, total, seal);
    },
  };
}

/** Each column of the run's row, and of its last commit, that is not as it should be, in words. */
export function compareRun(statements: Statements, expected: RunRecord): string[] {
  const { run } = expected;
  const found = statements.findRun.get({ run });
  if (found === undefined) throw runMissing(run);
  return [
    ...differing(found, expectedRow(found, expected)).map((what) => `the column ${what('row')}`),
    ...differing(found, expectedHead(expected)).map((what) => `the column ${what('last commit')}`),
  ];
}

type Columns = Readonly<Record<string, unknown>>;

/** When the row was last written is not in the journal: not after its end. */
function expectedRow(found: Row, expected: RunRecord): Columns {
  const { run, seq, createdAt, incarnation } = expected;
  const written = found['as_of'];
  const asOf = Number.isSafeInteger(written) ? Math.min(Number(written), seq) : seq;
  const values = sealedRow(run, asOf, rowOf(expected));
  const sealed = [...sealedColumns, 'seal'].map((name, index) => [name, values[index]] as const);
  return { ...Object.fromEntries(sealed), created_at: createdAt, incarnation };
}

function expectedHead({ run, seq, hash, updatedAt: at, settled, total }: RunRecord): Columns {
  return { seq, hash, at, settled, total, head_seal: headSealOf({ run, seq, hash, at, settled, total }) };
}

function differing(found: Row, columns: Columns): ((of: string) => string)[] {
  return Object.entries(columns)
    .filter(([name, value]) => found[name] !== value)
    .map(
      ([name, value]) =>
        (of) =>
          `${name} of its ${of} is ${shown(found[name])}, not ${shown(value)}`,
    );
}

function shown(value: unknown): string {
  const text = value instanceof Uint8Array ? 'bytes' : (JSON.stringify(value) ?? 'missing');
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** What a row of `runs` repeats of a summary. The rest changes with every commit, and is written with that. */
export function rowOf(summary: RunSummary): RowValues {
  const {
    workflow,
    workflowHash,
    status,
    wakeAt = null,
    reason = null,
    spent,
    places = null,
    about,
  } = summary;
  return [
    workflow,
    workflowHash,
    status,
    wakeAt,
    reason,
    spent === undefined ? null : JSON.stringify(spent),
    places,
    about === undefined ? null : aboutText(about),
  ];
}

const aboutTexts = new WeakMap<RunAbout, string>();

/** Asked for at every commit of a run that has it, and hardly ever another. */
function aboutText(about: RunAbout): string {
  let text = aboutTexts.get(about);
  if (text === undefined) aboutTexts.set(about, (text = JSON.stringify(about)));
  return text;
}

type RowValues = readonly (string | number | null)[];

/** In the order of the statements that write it. `asOf`: the commit that writes it. */
export function sealedRow(run: string, asOf: number, row: RowValues): RowValues {
  const values = [run, asOf, ...row];
  return [...values, sealOfRow(values)];
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
  if (row['seq'] === null) throw new Contradiction('its journal is empty');
  const read = { ...wholeRecord(row), ...optionalParts(row) };
  const { run, seq, hash, updatedAt: at, settled, total } = read;
  const isSealed =
    row['seal'] === sealOfRow(sealedColumns.map((name) => row[name])) &&
    row['head_seal'] === headSealOf({ run, seq, hash, at, settled, total });
  if (!isSealed) throw new Contradiction('its seal is broken: one of its columns is not what was written');
  if (number(row, 'as_of') > seq) throw new Contradiction(endMissing);
  return Object.freeze(read);
}

const endMissing = 'its journal does not end where its row says';

function wholeRecord(row: Row) {
  return {
    run: text(row, 'run'),
    seq: number(row, 'seq'),
    hash: text(row, 'hash'),
    incarnation: number(row, 'incarnation'),
    createdAt: number(row, 'created_at'),
    updatedAt: number(row, 'at'),
    workflow: text(row, 'workflow'),
    workflowHash: text(row, 'workflow_hash'),
    status: toStatus(text(row, 'status')),
    settled: number(row, 'settled'),
    total: number(row, 'total'),
  };
}

function optionalParts(row: Row): Pick<RunRecord, 'wakeAt' | 'reason' | 'places' | 'spent' | 'about'> {
  const wakeAt = optionalNumber(row, 'wake_at');
  const reason = optionalText(row, 'reason');
  const spent = optionalText(row, 'spent');
  const places = optionalNumber(row, 'places');
  const about = optionalText(row, 'about');
  return {
    ...(wakeAt === undefined ? {} : { wakeAt }),
    ...(reason === undefined ? {} : { reason }),
    ...(places === undefined ? {} : { places }),
    ...(spent === undefined ? {} : { spent: record(spent, 'spent', {}) as Spent }),
    ...(about === undefined ? {} : { about: record(about, 'about', {}) as RunAbout }),
  };
}

function rowDamaged(row: Row, cause: Contradiction): PitonError {
  const { run, hash } = row;
  // However far it is known to have come.
  const seq = Math.max(
    ...[row['seq'], row['as_of']].filter((value) => Number.isSafeInteger(value)).map(Number),
    0,
  );
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
