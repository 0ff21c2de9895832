import { DatabaseSync } from 'node:sqlite';
import type { Durability } from './settings.ts';

/** The texts that one transaction of ours wrote: bodies of commits, and blobs. */
export type Group = readonly string[];

/**
 * Writes the texts straight to SQLite, with its defaults and the same promise about the disk: one table, one prepared
 * INSERT, a transaction for each group. Gives the time at the start and after each group.
 */
export function commitRaw(file: string, durability: Durability, groups: readonly Group[]): readonly number[] {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = 67108864');
  database.exec(durability === 'full' ? 'PRAGMA synchronous = FULL' : 'PRAGMA synchronous = NORMAL');
  database.exec('CREATE TABLE texts (number INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT');
  const [begin, insert, commit] = ['BEGIN IMMEDIATE', 'INSERT INTO texts (text) VALUES (?)', 'COMMIT'].map(
    (sql) => database.prepare(sql),
  );
  const times = [performance.now()];
  for (const group of groups) {
    begin!.run();
    for (const text of group) insert!.run(text);
    commit!.run();
    times.push(performance.now());
  }
  database.close();
  return times;
}

/** Reads all texts of a run back, which is the least that a resume has to do. */
export function readRaw(file: string): number {
  const startedAt = performance.now();
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare('SELECT body FROM commits ORDER BY run_number, seq').all();
  for (const { body } of rows) JSON.parse(body as string);
  database.close();
  return performance.now() - startedAt;
}
