import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { open, workflow } from '../../src/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const kinds = {
  flipped: `iif(typeof(COLUMN) = 'text', 'x' || substr(COLUMN, 2), ifnull(COLUMN, 0) + 1)`,
  bytes: `x'00ff'`,
  missing: 'NULL',
  huge: `iif(typeof(COLUMN) = 'text', hex(zeroblob(50000)), 9007199254740993)`,
} as const;
type Kind = keyof typeof kinds;

/**
 * What nothing tells from what was written: it is neither in the chain nor derived from it. A lease or command of another kind than
 * those Piton writes is noticed; one that is merely another is not.
 */
const unknowable: Readonly<Record<string, readonly Kind[]>> = {
  'commits.number': ['flipped'],
  'inbox.number': ['flipped', 'bytes', 'missing', 'huge'],
  'inbox.id': ['flipped', 'huge'],
  'inbox.run': ['flipped', 'huge'],
  'inbox.at': ['flipped', 'huge'],
  'inbox.answer': ['missing'],
  'leases.name': ['flipped', 'huge'],
  'leases.epoch': ['flipped', 'huge'],
  'leases.taken_at': ['flipped', 'huge'],
  'leases.expires_at': ['flipped'],
  'leases.token': ['flipped', 'huge', 'missing'],
  'leases.owner': ['missing'],
  'quarantine.number': ['flipped', 'bytes', 'missing', 'huge'],
  'quarantine.run': ['flipped', 'huge'],
  'quarantine.seq': ['flipped', 'huge'],
  'quarantine.body': ['flipped', 'huge'],
  'quarantine.hash': ['flipped'],
  'snapshots.format': ['flipped', 'huge'],
};

/** A store with something in every table. */
async function wholeStore(): Promise<string> {
  const file = join(temporaryFolder(), 'piton.db');
  const flow = workflow('flow', { checkpoint: { preserve: false } })
    .task('big', () => 'x'.repeat(20_000))
    .task('small', { needs: ['big'] }, () => 1);
  {
    await using piton = await open({ store: `sqlite:${file}` });
    await (await piton.start(flow, { id: 'cut' })).result();
  }
  using database = new DatabaseSync(file);
  database.exec(`UPDATE commits SET body = replace(body, 'small', 'smell') WHERE seq = 2`);
  database.close();
  await using piton = await open({ store: `sqlite:${file}` });
  await piton.repair('cut');
  const run = await piton.start(flow, { id: 'whole', name: 'Whole', labels: { team: 'web' } });
  await run.result();
  await (await piton.find('cut')).pause().catch(() => {});
  return file;
}

function columnsOf(file: string): [table: string, column: string][] {
  using database = new DatabaseSync(file);
  const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
  return tables.flatMap(({ name }) =>
    database
      .prepare(`PRAGMA table_info(${String(name)})`)
      .all()
      .map((column): [string, string] => [String(name), String(column['name'])]),
  );
}

/** As a bad disk does it: neither types nor constraints are asked. False if SQLite cannot express it. */
function damage(file: string, [table, column]: readonly [string, string], kind: Kind): boolean {
  const asWritten = withSchema(file, (sql) =>
    sql.replaceAll('STRICT, ', '').replaceAll('STRICT', '').replaceAll('NOT NULL', ''),
  );
  try {
    using database = new DatabaseSync(file, { defensive: false });
    const value = kinds[kind].replaceAll('COLUMN', column);
    const key =
      table === 'leases' || table === 'blob_refs' ? '1 = 1' : `rowid = (SELECT max(rowid) FROM ${table})`;
    const { changes } = database
      .prepare(
        `UPDATE OR IGNORE ${table} SET ${column} = ${value} WHERE ${key} AND ${column} IS NOT ${value}`,
      )
      .run();
    return Number(changes) > 0;
  } catch (error) {
    // The number of a row is never anything else.
    if (String(error).includes('datatype mismatch')) return false;
    throw error;
  } finally {
    withSchema(file, (sql) => asWritten.get(sql) ?? sql);
  }
}

/** Changes the text of every table, and gives back what it was by what it is now. */
function withSchema(file: string, change: (sql: string) => string): Map<string, string> {
  using database = new DatabaseSync(file, { defensive: false });
  database.exec('PRAGMA writable_schema = ON');
  const before = new Map<string, string>();
  const write = database.prepare('UPDATE sqlite_schema SET sql = ? WHERE name = ?');
  for (const { name, sql } of database
    .prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'table'`)
    .all()) {
    const changed = change(String(sql));
    before.set(changed, String(sql));
    write.run(changed, String(name));
  }
  return before;
}

async function findings(file: string): Promise<string[]> {
  await using piton = await open({ store: `sqlite:${file}` });
  const verdicts = await piton.verify();
  const ofRuns = verdicts.flatMap(({ run, faults }) =>
    faults.map(({ what, remedy }) => `${run}: ${what} ${remedy}`),
  );
  return [...ofRuns, ...(await piton.checkStore())];
}

/** How each finding has to name what is wrong. */
function namesIt([table, column]: readonly [string, string]): RegExp {
  if (table === 'runs' && ['number', 'run', 'as_of'].includes(column))
    return /commit|own row|runs\b|column as_of/;
  if (table === 'runs') return new RegExp(`column ${column}\\b`);
  if (table === 'commits') return /commit|journal|last commit/;
  if (table === 'snapshots') return /snapshot|blob/;
  if (table === 'blobs' || table === 'blob_refs') return /blob/;
  return new RegExp(table === 'leases' ? 'lease' : table);
}

/** Every column of every table that is chosen, damaged in every way, is named by `verify`, which does not throw. */
export function wrongColumnsSuite(isChosen: (table: string, kind: Kind) => boolean): void {
  test('each column that is not what was written is named, and none makes verify throw', async () => {
    const whole = await wholeStore();
    expect(await findings(whole)).toEqual([]);
    const unnoticed: string[] = [];
    const names = Object.keys(kinds) as Kind[];
    const tried = new Set<string>();
    for (const place of columnsOf(whole)) {
      for (const kind of names) {
        const name = place.join('.');
        if (!isChosen(place[0], kind) || unknowable[name]?.includes(kind) === true) continue;
        const file = join(temporaryFolder(), 'piton.db');
        copyFileSync(whole, file);
        if (!damage(file, place, kind)) continue;
        tried.add(place[0]);
        const found = await findings(file).catch((error: unknown) => [`THROWN ${String(error)}`]);
        const isNamed = found.some((text) => namesIt(place).test(text)) && !found[0]!.startsWith('THROWN');
        if (!isNamed) unnoticed.push(`${name} ${kind}: ${found.join('; ').slice(0, 300)}`);
      }
    }
    const chosen = columnsOf(whole).filter(([table]) => names.some((kind) => isChosen(table, kind)));
    expect([...tried].sort()).toEqual([...new Set(chosen.map(([table]) => table))].sort());
    expect(unnoticed).toEqual([]);
  });
}
