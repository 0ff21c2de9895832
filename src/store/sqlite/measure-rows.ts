import type { DatabaseSync } from 'node:sqlite';
import type { RunSize, StoreSize } from '../contract.ts';
import { pragma } from './migrate.ts';

/** The runs that are asked about, with the order in which they would go. */
const leaving = `
  WITH leaving (number, rank) AS (SELECT runs.number, each.key FROM json_each(:runs) AS each JOIN runs ON runs.run = each.value)`;

/** `octet_length` is known without reading what does not fit on a page. */
const sqlOfJournals = `${leaving}
  SELECT rank, ifnull((SELECT sum(octet_length(body)) FROM commits WHERE run_number = leaving.number), 0)
             + ifnull((SELECT sum(octet_length(text)) FROM snapshots WHERE run = runs.run), 0)
             + ifnull((SELECT sum(octet_length(body)) FROM quarantine WHERE run = runs.run), 0) AS bytes
  FROM   leaving JOIN runs USING (number)`;

/** A blob goes with the last run that refers to it, and stays if a run refers to it that is not among these. */
const sqlOfPayloads = `${leaving},
  going (hash, rank) AS (SELECT hash, max(rank) FROM blob_refs LEFT JOIN leaving ON leaving.number = run_number
                         GROUP BY hash HAVING count(*) = count(rank))
  SELECT rank, sum(octet_length(text)) AS bytes FROM going JOIN blobs USING (hash) GROUP BY rank`;

export function measureRows(database: DatabaseSync, runs: readonly string[]): StoreSize {
  const pageSize = pragma(database, 'page_size');
  const given = { runs: JSON.stringify(runs) };
  const payloads = bytesByRank(database, sqlOfPayloads, given);
  const sizes = new Map<string, RunSize>();
  for (const [rank, journal] of bytesByRank(database, sqlOfJournals, given))
    sizes.set(runs[rank]!, { journal, payloads: payloads.get(rank) ?? 0 });
  return {
    bytes: pragma(database, 'page_count') * pageSize,
    freeBytes: pragma(database, 'freelist_count') * pageSize,
    runs: sizes,
  };
}

function bytesByRank(
  database: DatabaseSync,
  sql: string,
  given: Record<string, string>,
): ReadonlyMap<number, number> {
  const rows = database.prepare(sql).all(given);
  return new Map(rows.map((row) => [Number(row['rank']), Number(row['bytes'])]));
}
