import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { ownIdentity, systemClock } from '../../src/base/index.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { defineSeals, migrate } from '../../src/store/sqlite/migrate.ts';
import { applicationId, migrations } from '../../src/store/sqlite/migrations.ts';
import { startProgram } from '../support/start-program.ts';
import { appending, commit, taking } from '../../src/testing/store-requests.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const options = { durability: 'full', clock: systemClock } as const;

/** A store as it was at that version: two runs whose commits take turns, and a commit whose run is gone. */
function storeOf(version: number): string {
  const file = storeBySql(Math.min(version, 5));
  if (version <= 5) return file;
  using database = new DatabaseSync(file);
  defineSeals(database);
  for (const migration of migrations.slice(5, version)) database.exec(migration);
  database.exec(`PRAGMA user_version = ${version}`);
  return file;
}

function storeBySql(version: number): string {
  const file = join(temporaryFolder(), 'piton.db');
  using database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL');
  defineSeals(database);
  for (const migration of migrations.slice(0, version)) database.exec(migration);
  database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`);
  const insertRun = database.prepare(`
    INSERT INTO runs (run, seq, hash, incarnation, created_at, updated_at, workflow, workflow_hash, status, settled, total)
    VALUES (?, 3, ?, 2, ?, 9, 'ship', 'w1', 'running', 1, 4)`);
  insertRun.run('zebra', commit('zebra', 3).hash, 5);
  insertRun.run('ant', commit('ant', 3).hash, 6);
  // Since version 4, commits name their run by number, and one whose run is gone was moved aside.
  const [column, value] =
    version < 4 ? ['run', '?'] : ['run_number', '(SELECT number FROM runs WHERE run = ?)'];
  const insertCommit = database.prepare(
    `INSERT INTO commits (${column}, seq, body, hash) VALUES (${value}, ?, ?, ?)`,
  );
  const insertAside = database.prepare('INSERT INTO quarantine (run, seq, body, hash) VALUES (?, ?, ?, ?)');
  const stored = [1, 2, 3].flatMap((seq) => [commit('zebra', seq), commit('ant', seq)]);
  for (const { run, seq, body, hash } of [...stored, commit('gone', 7)]) {
    const insert = version < 4 || run !== 'gone' ? insertCommit : insertAside;
    insert.run(run, seq, body, hash);
  }
  if (version >= 5) {
    database.exec(`
      UPDATE runs SET seal = seal_of(run, seq, hash, updated_at, workflow, workflow_hash, status, settled, total, wake_at,
                                     reason, spent, places)`);
  }
  return file;
}

function versionOf(file: string): unknown {
  using database = new DatabaseSync(file);
  return database.prepare('PRAGMA user_version').get()?.['user_version'];
}

async function expectAllIn(file: string): Promise<void> {
  const store = await openSqliteStore(`sqlite:${file}`, options);
  onTestFinished(() => store.close());
  for (const run of ['ant', 'zebra']) {
    const commits = await store.readCommits(run, { after: 0, limit: 9 });
    expect(commits).toEqual([1, 2, 3].map((seq) => commit(run, seq)));
    const { hash } = commit(run, 3);
    const row = { run, seq: 3, hash, incarnation: 2, workflow: 'ship', status: 'running', total: 4 };
    expect(await store.findRun(run)).toMatchObject(row);
  }
  expect((await store.listRuns({})).map(({ run }) => run)).toEqual(['ant', 'zebra']);
  expect(await store.quarantined('gone')).toEqual([commit('gone', 7)]);
  expect(await store.checkMedium()).toEqual([]);

  const { lease } = await store.takeLease(taking('run:zebra'));
  await store.append(appending(lease, 4));
  await expect(store.append(appending(lease, 4))).rejects.toMatchObject({ code: 'SEQ_CONFLICT' });
  expect(await store.readCommits('zebra', { after: 3, limit: 9 })).toEqual([commit('zebra', 4)]);
  expect(await store.readCommits('ant', { after: 3, limit: 9 })).toEqual([]);
}

test('a store of any earlier version is opened with all that it holds, and written on', async () => {
  for (let version = 1; version < migrations.length; version++) {
    const file = storeOf(version);
    await expectAllIn(file);
    expect(versionOf(file)).toBe(migrations.length);
  }
});

test.for([
  ['a row that was changed', `UPDATE runs SET status = 'held' WHERE run = 'ant'`],
  ['a row of which something was lost', `UPDATE runs SET seal = '' WHERE run = 'ant'`],
  ['a journal whose end is missing', `DELETE FROM commits WHERE seq = 3 AND run_number = ANT`],
  [
    'a journal that goes on',
    `INSERT INTO commits SELECT run_number, 4, body, hash FROM commits WHERE seq = 3 AND run_number = ANT`,
  ],
  ['another last commit', `UPDATE commits SET hash = 'x' WHERE seq = 3 AND run_number = ANT`],
] as const)('what is not believed of a store is not believed once it is migrated: %s', async ([, sql]) => {
  const file = storeOf(5);
  {
    using database = new DatabaseSync(file);
    database.exec(sql.replace('ANT', `(SELECT number FROM runs WHERE run = 'ant')`));
  }
  const store = await openSqliteStore(`sqlite:${file}`, options);
  onTestFinished(() => store.close());
  const damage = { code: 'STORE_DAMAGED', details: { run: 'ant' } };
  await expect(store.findRun('ant')).rejects.toMatchObject(damage);
  await expect(store.listRuns({ status: ['running'] })).rejects.toMatchObject(damage);
  expect(await store.findRun('zebra')).toMatchObject({ seq: 3, settled: 1, total: 4, updatedAt: 9 });
});

test('a process that is killed while it migrates a store leaves the old or the new one', async () => {
  for (const [place, version] of [
    ['store:before-migrated', 3],
    ['store:after-migrated', migrations.length],
  ] as const) {
    const file = storeOf(3);
    const env = { PITON_CRASH_AT: place };
    const program = startProgram('append-commits', { args: [`sqlite:${file}`, 'other', '1'], env });
    expect(await program.ended()).toMatchObject({ by: 'SIGKILL' });

    expect(versionOf(file)).toBe(version);
    await expectAllIn(file);
  }
});

function withLease(file: string, owner: object, expiresAt: number): void {
  using database = new DatabaseSync(file);
  database
    .prepare(`INSERT INTO leases VALUES ('run:ant', 1, ?, 't', 0, ?)`)
    .run(JSON.stringify(owner), expiresAt);
}

test('a store is not migrated while a process of an earlier version works on it', async () => {
  const file = storeOf(3);
  const owner = { ...ownIdentity(), instance: 'older' };
  withLease(file, owner, Date.now() + 60_000);
  await expect(openSqliteStore(`sqlite:${file}`, options)).rejects.toMatchObject({
    code: 'STORE_IN_USE',
    details: { pid: process.pid },
  });
  expect(versionOf(file)).toBe(3);

  const [expired, ofTheDead] = [storeOf(3), storeOf(3)];
  withLease(expired, owner, Date.now() - 1);
  withLease(ofTheDead, { ...owner, startTime: 'another' }, Date.now() + 60_000);
  for (const free of [expired, ofTheDead]) {
    const store = await openSqliteStore(`sqlite:${free}`, options);
    await store.close();
    expect(versionOf(free)).toBe(migrations.length);
  }
});

test('a quota that would not hold both copies does not keep a store from being migrated', async () => {
  const file = storeOf(3);
  const store = await openSqliteStore(`sqlite:${file}?max-bytes=${statSync(file).size}`, options);
  onTestFinished(() => store.close());
  expect(await store.readCommits('ant', { after: 0, limit: 9 })).toHaveLength(3);
});

test('a store that cannot be migrated is left as it was, and says what to do', async () => {
  const file = storeOf(3);
  using database = new DatabaseSync(file);
  database.exec('CREATE TABLE numbered_runs (number INTEGER)');
  await expect(openSqliteStore(`sqlite:${file}`, options)).rejects.toMatchObject({
    message: expect.stringContaining('nothing was changed'),
    remedy: expect.stringContaining('earlier version'),
  });
  expect(versionOf(file)).toBe(3);
  expect(database.prepare('SELECT count(*) AS count FROM commits').get()).toEqual({ count: 7 });
});

test('a store that another process has brought to a later version meanwhile is refused, not set back', async () => {
  const file = storeOf(3);
  using database = new DatabaseSync(file);
  using later = new DatabaseSync(file);
  later.exec('PRAGMA user_version = 99');
  expect(() => migrate(database, { file })).toThrow('has format 99');
  expect(versionOf(file)).toBe(99);
});

test('a process of an earlier version that is still at work fails instead of finding an empty journal', async () => {
  const file = storeOf(3);
  using older = new DatabaseSync(file);
  const read = older.prepare(`SELECT seq FROM commits WHERE run = 'ant'`);
  const write = older.prepare(`INSERT INTO commits (run, seq, body, hash) VALUES ('ant', 4, '{}', 'h')`);
  expect(read.all()).toHaveLength(3);
  const store = await openSqliteStore(`sqlite:${file}`, options);
  await store.close();

  expect(() => read.all()).toThrow('no such column: run');
  expect(() => write.run()).toThrow('no column named run');
});
