import type { DatabaseSync } from 'node:sqlite';
import { sha256 } from '../../base/index.ts';
import { headSealOf, type Head } from './seal.ts';

/** What SQLite's own check does not see: rows that are whole and say what no row of ours can. Each finding names table and row. */
interface RowCheck {
  readonly table: string;
  /** Gives `name` of each row that is wrong, and `fault`. */
  readonly sql: string;
}

const badJson = (column: string): string =>
  `iif(json_valid(${column}), json_type(${column}), 'none') <> 'object'`;
const aYearMs = 366 * 24 * 3_600_000;

/** What a repair has moved aside may refer to what is lost. */
const movedAside = `EXISTS (SELECT 1 FROM quarantine JOIN runs ON runs.run = quarantine.run
                            WHERE runs.number = blob_refs.run_number AND quarantine.seq = blob_refs.seq)`;

const checks: readonly RowCheck[] = [
  {
    table: 'runs',
    sql: `SELECT number AS name, 'its run is not a text' AS fault FROM runs WHERE typeof(run) <> 'text'`,
  },
  {
    table: 'commits',
    sql: `SELECT seq AS name, 'belongs to no run (run_number ' || ifnull(run_number, 'NULL') || ')' AS fault FROM commits
          WHERE run_number IS NULL OR (run_number <> 0 AND run_number NOT IN (SELECT number FROM runs))`,
  },
  {
    table: 'commits',
    sql: `SELECT run_number AS name, 'its seq is not a number' AS fault FROM commits WHERE typeof(seq) <> 'integer'`,
  },
  {
    table: 'commits',
    sql: `SELECT CAST(later.number AS TEXT) AS name, 'its number is not in the order in which commits are written' AS fault
          FROM commits AS later
          LEFT JOIN commits AS earlier ON earlier.run_number = later.run_number AND earlier.seq = later.seq - 1
          WHERE earlier.number > later.number OR later.number NOT BETWEEN 1 AND 9007199254740991`,
  },
  {
    table: 'quarantine',
    sql: `SELECT number AS name, 'its columns are not what was moved aside' AS fault FROM quarantine
          WHERE typeof(run) <> 'text' OR typeof(seq) <> 'integer'
          OR typeof(body) <> 'text' OR typeof(hash) <> 'text' OR length(hash) <> 64`,
  },
  {
    table: 'snapshots',
    sql: `SELECT run || '@' || seq AS name, 'its columns are not those of a snapshot of a run' AS fault FROM snapshots
          WHERE typeof(run) <> 'text' OR run NOT IN (SELECT run FROM runs) OR typeof(seq) <> 'integer'
          OR typeof(hash) <> 'text' OR typeof(format) <> 'integer' OR typeof(text) <> 'text'`,
  },
  {
    table: 'blob_refs',
    sql: `SELECT hash AS name, 'refers to what is not there (run_number ' || ifnull(run_number, 'NULL') || ', seq ' || ifnull(seq, 'NULL') || ')' AS fault
          FROM blob_refs
          WHERE (hash NOT IN (SELECT hash FROM blobs)
                 OR NOT EXISTS (SELECT 1 FROM commits WHERE commits.run_number = blob_refs.run_number
                                AND commits.seq = blob_refs.seq AND instr(commits.body, blob_refs.hash) > 0))
          AND NOT ${movedAside}`,
  },
  {
    table: 'blobs',
    sql: `SELECT hash AS name, 'no commit refers to it' AS fault FROM blobs WHERE hash IS NULL OR hash NOT IN (SELECT hash FROM blob_refs)`,
  },
  {
    table: 'leases',
    sql: `SELECT name, 'its columns are not those of a lease' AS fault FROM leases
          WHERE typeof(name) <> 'text' OR typeof(epoch) <> 'integer' OR epoch < 1
          OR typeof(taken_at) <> 'real' OR typeof(expires_at) <> 'real' OR expires_at - taken_at > ${aYearMs}
          OR (token IS NULL) <> (owner IS NULL) OR typeof(token) NOT IN ('text', 'null')
          OR (owner IS NOT NULL AND (typeof(owner) <> 'text' OR ${badJson('owner')}))`,
  },
  {
    table: 'inbox',
    sql: `SELECT id AS name, 'its columns are not those of a command' AS fault FROM inbox
          WHERE typeof(id) <> 'text' OR typeof(run) <> 'text' OR typeof(at) <> 'real'
          OR typeof(command) <> 'text' OR ${badJson('command')}
          OR (answer IS NOT NULL AND (typeof(answer) <> 'text' OR ${badJson('answer')}))`,
  },
];

/** Goes on where a table cannot be read. */
export function findWrongRows(database: DatabaseSync): string[] {
  return [
    ...checks.flatMap((check) => wrongRows(database, check)),
    ...changedRemovals(database),
    ...changedBlobs(database),
  ];
}

function wrongRows(database: DatabaseSync, { table, sql }: RowCheck): string[] {
  return unlessUnreadable(table, () =>
    database
      .prepare(sql)
      .all()
      .map(({ name, fault }) => `${table}, row ${shown(name)}: ${String(fault)}`),
  );
}

/** What is left of runs that were removed. */
const removals = `SELECT CAST(number AS TEXT) AS number, seq, hash, at, settled, total, seal, body AS run FROM commits WHERE run_number = 0`;

function changedRemovals(database: DatabaseSync): string[] {
  return unlessUnreadable('commits', () =>
    database
      .prepare(removals)
      .all()
      .filter(
        (row) => row['seal'] !== headSealOf(row as unknown as Head) || row['number'] !== String(row['seq']),
      )
      .map(
        ({ number }) => `commits, row ${shown(number)}: it is not what was written of a run that was removed`,
      ),
  );
}

const texts = `SELECT hash, text FROM blobs
               WHERE NOT EXISTS (SELECT 1 FROM blob_refs WHERE blob_refs.hash = blobs.hash AND ${movedAside})`;

/** One at a time: they are big. */
function changedBlobs(database: DatabaseSync): string[] {
  return unlessUnreadable('blobs', () => {
    const found: string[] = [];
    for (const { hash, text } of database.prepare(texts).iterate()) {
      if (typeof text === 'string' && sha256(text) === hash) continue;
      found.push(`blobs, row ${shown(hash)}: its text is not what was written`);
    }
    return found;
  });
}

function unlessUnreadable(table: string, look: () => string[]): string[] {
  try {
    return look();
  } catch (error) {
    return [`${table}: it cannot be read (${error instanceof Error ? error.message : String(error)})`];
  }
}

function shown(name: unknown): string {
  return name instanceof Uint8Array ? 'of bytes' : String(name).slice(0, 80);
}
