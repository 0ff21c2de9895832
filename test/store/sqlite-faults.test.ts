import {
  chmodSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { workflow } from '../../src/index.ts';
import { findLease, type RunRecord, type Store } from '../../src/store/index.ts';
import type { FaultSeam } from '../../src/store/sqlite/connection.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { logPages } from '../../src/store/sqlite/log-pages.ts';
import { losesLog, networkFileSystem } from '../../src/store/sqlite/medium.ts';
import { eventually } from '../support/eventually.ts';
import { openPiton } from '../support/open-piton.ts';
import { startProgram } from '../support/start-program.ts';
import {
  appending,
  blob,
  commit,
  creation,
  pauseOf,
  summary,
  taking,
  leaseOf,
} from '../../src/testing/store-requests.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const options = { durability: 'full', clock: systemClock } as const;

async function open(file: string, parameters = '', seam?: FaultSeam): Promise<Store> {
  const store = await openSqliteStore(`sqlite:${file}${parameters}`, options, seam);
  onTestFinished(() => store.close());
  return store;
}

function newFile(): string {
  return join(temporaryFolder(), 'piton.db');
}

/** A closed store with one run of `commits` commits. */
async function storedRun(file: string, commits = 1): Promise<void> {
  const store = await openSqliteStore(`sqlite:${file}`, options);
  const lease = await store.createRun(creation('r1'));
  for (let seq = 2; seq <= commits; seq++) await store.append(appending(lease, seq));
  await store.close();
}

function changeBehindItsBack(file: string, sql: string): void {
  using database = new DatabaseSync(file);
  database.exec(sql);
}

/** The superuser may do anything, so as such we act as somebody else. */
async function asOrdinaryUser<T>(act: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return act();
  process.seteuid!(65_534);
  try {
    return await act();
  } finally {
    process.seteuid!(0);
  }
}

/** Fails the COMMITs from the one numbered `from` on, at most `times`, before or after carrying them out. */
function failing(given: { from: number; times: number; after: boolean; meanwhile?: () => void }): FaultSeam {
  let count = 0;
  return {
    commit(statement: StatementSync) {
      count++;
      const fails = count >= given.from && count < given.from + given.times;
      if (!fails || given.after) statement.run();
      if (!fails) return;
      given.meanwhile?.();
      throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 10 });
    },
  };
}

describe('opening a store', () => {
  test('makes the folders on the way to its file', async () => {
    const file = join(temporaryFolder(), 'a', 'b', 'piton.db');
    await open(file);

    expect(existsSync(file)).toBe(true);
  });

  test('refuses a folder in place of a file', async () => {
    const folder = temporaryFolder();
    await expect(open(folder)).rejects.toMatchObject({ code: 'STORE_UNREADABLE', details: { file: folder } });
  });

  test('refuses a folder that it may not make', async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o555);
    const file = join(folder, 'new', 'piton.db');

    await asOrdinaryUser(() => expect(open(file)).rejects.toMatchObject({ code: 'STORE_UNREADABLE' }));
  });

  test('refuses a file that it may not read', async () => {
    const file = newFile();
    await storedRun(file);
    chmodSync(dirname(file), 0o755);
    chmodSync(file, 0o000);

    await asOrdinaryUser(() => expect(open(file)).rejects.toMatchObject({ code: 'STORE_UNREADABLE' }));
  });

  test('refuses a file that is no database, and leaves it as it is', async () => {
    const file = newFile();
    const diary = 'Dear diary, '.repeat(500);
    writeFileSync(file, diary);

    await expect(open(file)).rejects.toMatchObject({ code: 'STORE_NOT_A_DATABASE', details: { file } });
    expect(readFileSync(file, 'utf8')).toBe(diary);
  });

  test('refuses the database of another program, and leaves it as it is', async () => {
    const file = newFile();
    changeBehindItsBack(file, `CREATE TABLE songs (title TEXT)`);

    await expect(open(file)).rejects.toMatchObject({ code: 'STORE_NOT_A_DATABASE' });
    using database = new DatabaseSync(file);
    const tables = database.prepare(`SELECT name FROM sqlite_schema`).all();
    expect(tables).toEqual([{ name: 'songs' }]);
  });

  test('refuses a store written by a later version', async () => {
    const file = newFile();
    await storedRun(file);
    changeBehindItsBack(file, `PRAGMA user_version = 99`);

    await expect(open(file)).rejects.toMatchObject({ code: 'STORE_TOO_NEW', details: { version: 99 } });
  });

  test('refuses network file systems', () => {
    expect(networkFileSystem(0x6969)).toBe('NFS');
    expect(networkFileSystem(0xff534d42)).toBe('CIFS');
    expect(networkFileSystem(0xfe534d42 | 0)).toBe('SMB2');
    expect(networkFileSystem(0x01021997)).toBe('9p');
    expect(networkFileSystem(0xef53)).toBeUndefined();
    expect(networkFileSystem(0x01021994)).toBeUndefined();
  });

  test('refuses versions of SQLite that can lose committed data', () => {
    expect(['3.7.0', '3.45.1', '3.51.2'].map(losesLog)).toEqual([true, true, true]);
    expect(['3.6.23', '3.51.3', '3.52.0', '4.0.0', process.versions.sqlite!].map(losesLog)).toEqual(
      Array.from({ length: 5 }, () => false),
    );
  });

  test.each([
    ['sqlite:', 'names no file'],
    ['sqlite::memory:', 'memory:'],
    ['sqlite:x.db?max-byte=5', "Did you mean 'max-bytes'?"],
    ['sqlite:x.db?max-bytes=5k', 'whole number'],
  ])('refuses the URL %s and says what is wrong with it', async (url, hint) => {
    await expect(openSqliteStore(url, options)).rejects.toMatchObject({
      code: 'STORE_URL_INVALID',
      message: expect.stringContaining(hint) as string,
    });
  });

  test('is done by several at once on a file that is not there yet', async () => {
    const file = newFile();
    const stores = await Promise.all(Array.from({ length: 4 }, () => open(file)));
    await Promise.all(stores.map((store, index) => store.createRun(creation(`r${index}`))));

    expect(await stores[0]!.listRuns({})).toHaveLength(4);
  });
});

describe('a store that may not be written', () => {
  test('can be read, and refuses to be changed', async () => {
    const file = newFile();
    await storedRun(file, 3);
    chmodSync(dirname(file), 0o777);
    chmodSync(file, 0o444);

    await asOrdinaryUser(async () => {
      const store = await openSqliteStore(`sqlite:${file}`, options);
      expect((await store.findRun('r1'))?.seq).toBe(3);
      const refusal = { code: 'STORE_READ_ONLY', details: { file } };
      await expect(store.sendCommand(pauseOf('r1'))).rejects.toMatchObject(refusal);
      await expect(store.takeLease(taking('run:r1'))).rejects.toMatchObject(refusal);
      await store.close();
    });
  });
});

describe('a full store', () => {
  const quota = '?min-free=0&max-bytes=';

  test('refuses what does not fit, keeps what does, and goes on when it is given more room', async () => {
    const file = newFile();
    const tight = await openSqliteStore(`sqlite:${file}${quota}400000`, options);
    const lease = await tight.createRun(creation('r1'));
    const other = await tight.createRun(creation('r2'));
    const big = blob('x'.repeat(500_000));
    const results = await Promise.allSettled([
      tight.append(appending(lease, 2)),
      tight.append(appending(lease, 3, { blobs: [big] })),
      tight.append(appending(other, 2)),
    ]);
    expect(results.map((result) => (result.status === 'rejected' ? result.reason.code : 'done'))).toEqual([
      'done',
      'STORE_FULL',
      'done',
    ]);
    expect((await tight.findRun('r1'))?.seq).toBe(2);
    await expect(tight.readBlob(big.hash)).rejects.toMatchObject({ code: 'BLOB_MISSING' });
    expect(await tight.checkMedium()).toEqual([]);
    await tight.close();

    const roomy = await open(file, `${quota}4000000`);
    const taken = await roomy.takeLease(taking('run:r1'));
    await roomy.append(appending(taken.lease, 3, { blobs: [big] }));
    expect((await roomy.findRun('r1'))?.seq).toBe(3);
  });

  test('refuses a whole turn of commits, each by itself, when none fits', async () => {
    const store = await open(newFile(), `${quota}200000`);
    const leases = await Promise.all(
      Array.from({ length: 20 }, (_, run) => store.createRun(creation(`r${run}`))),
    );
    const results = await Promise.allSettled(
      leases.map((lease, run) =>
        store.append(appending(lease, 2, { blobs: [blob(`${run}`.repeat(200_000))] })),
      ),
    );

    const codes = results.map((result) => (result.status === 'rejected' ? result.reason.code : 'done'));
    expect(new Set(codes)).toEqual(new Set(['STORE_FULL']));
    expect(new Set((await store.listRuns({})).map(({ seq }) => seq))).toEqual(new Set([1]));
  });

  test('gives up its ballast for the last words', async () => {
    const file = newFile();
    const store = await open(file, `${quota}200000`);
    await eventually('it has been open for a moment', () => existsSync(`${file}.ballast`));
    expect(statSync(`${file}.ballast`).size).toBe(1024 * 1024);
    const lease = await store.createRun(creation('r1'));
    const tooBig = appending(lease, 2, { blobs: [blob('x'.repeat(300_000))] });
    await expect(store.append(tooBig)).rejects.toMatchObject({ code: 'STORE_FULL' });
    expect(existsSync(`${file}.ballast`)).toBe(false);

    store.hasRoom();
    expect(existsSync(`${file}.ballast`)).toBe(true);
  });

  test('says that it has no room before it is full', async () => {
    const file = newFile();
    const store = await open(file, '?max-bytes=400000');
    expect(store.hasRoom()).toBe(true);
    await store.createRun(creation('r1', { blobs: [blob('x'.repeat(300_000))] }));
    await store.close();

    expect((await open(file, '?max-bytes=400000')).hasRoom()).toBe(false);
    expect((await open(file, `?min-free=${Number.MAX_SAFE_INTEGER}`)).hasRoom()).toBe(false);
  });
});

describe('a store locked by another process', () => {
  test('is asked again until it is free, while the event loop goes on', async () => {
    const file = newFile();
    await storedRun(file);
    const store = await open(file);
    const locker = startProgram('hold-lock', { args: [file] });
    expect(await locker.nextLine()).toBe('locked');
    let isSent = false;
    const sending = store.sendCommand(pauseOf('r1')).then(() => (isSent = true));
    for (let turn = 0; turn < 20; turn++) await pause(2);
    expect(isSent).toBe(false);
    expect(await store.pendingCommands('r1')).toEqual([]);

    locker.child.stdin!.end();
    await sending;
    expect(await store.pendingCommands('r1')).toHaveLength(1);
  });

  test('is given up when patience ends, and nothing was written', async () => {
    const file = newFile();
    await storedRun(file);
    const store = await open(file, '?patience=60');
    const locker = startProgram('hold-lock', { args: [file] });
    expect(await locker.nextLine()).toBe('locked');

    const refusal = { code: 'STORE_BUSY', details: { file } };
    await expect(store.sendCommand(pauseOf('r1'))).rejects.toMatchObject(refusal);
    expect(await store.pendingCommands('r1')).toEqual([]);
  });
});

describe('a damaged store', () => {
  test('is named as such when its end is missing', async () => {
    const file = newFile();
    await storedRun(file, 200);
    truncateSync(file, 5 * 4096);

    await expect(open(file)).rejects.toMatchObject({ code: 'STORE_DAMAGED', details: { file } });
  });

  test('is named as such when its pages were overwritten', async () => {
    const file = newFile();
    await storedRun(file, 200);
    const pages = statSync(file).size / 4096;
    const descriptor = openSync(file, 'r+');
    for (let page = 2; page < pages; page++)
      writeSync(descriptor, Buffer.alloc(64, 0xa5), 0, 64, page * 4096);

    const store = await open(file);
    await expect(store.readCommits('r1', { after: 0, limit: 500 })).rejects.toMatchObject({
      code: 'STORE_DAMAGED',
    });
    expect(await store.checkMedium()).not.toEqual([]);
  });

  test('is named as such when a row says what no row of ours can say', async () => {
    const file = newFile();
    await storedRun(file);
    const store = await open(file);
    await store.takeLease(taking('run:r1'));
    changeBehindItsBack(file, `UPDATE leases SET owner = '{"pid":"x"}'; UPDATE runs SET status = 'dancing'`);

    await expect(findLease(store, 'run:r1')).rejects.toMatchObject({
      code: 'STORE_DAMAGED',
      details: { file },
    });
    await expect(store.findRun('r1')).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  });

  test('whose row of a run is gone does not give its number to another', async () => {
    const file = newFile();
    const store = await open(file);
    const lease = await store.createRun(creation('gone'));
    await store.append(appending(lease, 2));
    changeBehindItsBack(file, `DELETE FROM runs; DELETE FROM commits WHERE seq = 1`);

    await store.createRun(creation('next'));
    expect(await store.readCommits('next', { after: 0, limit: 9 })).toEqual([commit('next', 1)]);
  });

  test('is named as such when the journal holds a commit that nobody has written', async () => {
    const file = newFile();
    const store = await open(file);
    const lease = await store.createRun(creation('r1'));
    changeBehindItsBack(file, `INSERT INTO commits VALUES (9, 1, 2, 'h', 0, 0, 0, 0, '{}')`);

    const results = await Promise.allSettled([
      store.append(appending(lease, 2)),
      store.createRun(creation('r2')),
    ]);
    expect(results[0]).toMatchObject({ status: 'rejected', reason: { code: 'STORE_DAMAGED' } });
    expect(results[1]).toMatchObject({ status: 'fulfilled' });
    await expect(store.findRun('r1')).rejects.toMatchObject({
      code: 'STORE_DAMAGED',
      details: { run: 'r1' },
    });
  });
});

describe('a COMMIT that fails', () => {
  test('although it is in the store is found there, and not done twice', async () => {
    const store = await open(newFile(), '', failing({ from: 2, times: 1, after: true }));
    const lease = await store.createRun(creation('r1'));
    await Promise.all([
      store.append(appending(lease, 2)),
      store.createRun(creation('r2')),
      store.sendCommand(pauseOf('r1', 'c1')),
    ]);

    expect(await store.readCommits('r1', { after: 0, limit: 9 })).toEqual([commit('r1', 1), commit('r1', 2)]);
    expect(await store.pendingCommands('r1')).toHaveLength(1);
    expect((await findLease(store, 'run:r2'))?.epoch).toBe(1);
    await store.append(appending(lease, 3));
  });

  test('although it is in the store is copied into the file and synced before anyone is told', async () => {
    const file = newFile();
    const store = await open(file, '', failing({ from: 2, times: 1, after: true }));
    const lease = await store.createRun(creation('r1'));
    // As long as somebody else has the file open, nobody copies the log by closing it.
    using other = new DatabaseSync(file);
    other.prepare('SELECT count(*) FROM commits').get();
    await store.append(appending(lease, 2));

    const alone = newFile();
    copyFileSync(file, alone);
    using copy = new DatabaseSync(alone);
    expect(copy.prepare('SELECT max(seq) AS seq FROM commits').get()).toEqual({ seq: 2 });
  });

  test('although it is in the store is uncertain if it cannot be synced: what was read may never reach the disk', async () => {
    const file = newFile();
    using reader = new DatabaseSync(file);
    const readOn = (): void => reader.exec('BEGIN; SELECT count(*) FROM commits');
    const seam = failing({ from: 3, times: 1, after: true });
    const store = await open(file, '?patience=50', seam);
    const lease = await store.createRun(creation('r1'));
    readOn();
    await store.append(appending(lease, 2));

    await expect(store.append(appending(lease, 3))).rejects.toMatchObject({ code: 'STORE_UNCERTAIN' });
    reader.exec('COMMIT');
    expect((await store.findRun('r1'))?.seq).toBe(3);
  });

  test('and is not in the store is done once more, in the same order', async () => {
    const store = await open(newFile(), '', failing({ from: 2, times: 1, after: false }));
    const lease = await store.createRun(creation('r1'));
    const results = await Promise.allSettled([
      store.append(appending(lease, 2)),
      store.append(appending(lease, 3)),
      store.append(appending(lease, 9)),
    ]);

    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect((await store.readCommits('r1', { after: 0, limit: 9 })).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  test('again and again is refused, and nothing was written', async () => {
    const store = await open(newFile(), '', failing({ from: 2, times: 2, after: false }));
    const lease = await store.createRun(creation('r1'));

    await expect(store.append(appending(lease, 2))).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect((await store.findRun('r1'))?.seq).toBe(1);
    await store.append(appending(lease, 2));
  });

  test('and cannot be looked for is said to be uncertain', async () => {
    const place = temporaryFolder();
    const [folder, gone] = [join(place, 'state'), join(place, 'gone')];
    const file = join(folder, 'piton.db');
    const vanish = (): void => {
      renameSync(folder, gone);
      writeFileSync(folder, 'in the way');
    };
    const seam = failing({ from: 2, times: 1, after: true, meanwhile: vanish });
    const store = await openSqliteStore(`sqlite:${file}`, options, seam);
    const lease = await store.createRun(creation('r1'));

    await expect(store.append(appending(lease, 2))).rejects.toMatchObject({ code: 'STORE_UNCERTAIN' });
    await store.close();
    const found = await open(join(gone, 'piton.db'));
    expect((await found.findRun('r1'))?.seq).toBe(2);
  });

  test('to a file in whose place there is another by now is refused', async () => {
    const file = newFile();
    const store = await open(file);
    const lease = await store.createRun(creation('r1'));
    for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`);
    const another = await open(file);
    await another.createRun(creation('r2'));

    await expect(store.append(appending(lease, 2))).rejects.toMatchObject({ code: 'STORE_GONE' });
    expect((await another.listRuns({})).map(({ run }) => run)).toEqual(['r2']);
  });

  test('when the system refuses to write loses nothing that was acknowledged', async () => {
    const file = newFile();
    await (await openSqliteStore(`sqlite:${file}`, options)).close();
    const program = startProgram('append-commits', {
      args: [`sqlite:${file}?min-free=999999999999999`, 'r1', '100000'],
      under: 'ulimit -f 600',
    });
    const { lines } = await program.ended();

    expect(lines.at(-1)).toBe('STORE_FAILED');
    const store = await open(file);
    expect((await store.findRun('r1'))?.seq).toBe(lines.length - 1);
    expect(await store.checkMedium()).toEqual([]);
  });
});

describe('several processes', () => {
  test('write to one file without losing or refusing anything', async () => {
    const file = newFile();
    await (await openSqliteStore(`sqlite:${file}`, options)).close();
    const programs = ['a', 'b', 'c'].map((run) =>
      startProgram('append-commits', { args: [`sqlite:${file}`, run, '150'] }),
    );
    const ends = await Promise.all(programs.map((program) => program.ended()));

    const everySeq = Array.from({ length: 150 }, (_, index) => String(index + 1));
    for (const { lines, by } of ends) expect({ lines, by }).toEqual({ lines: everySeq, by: 0 });
    const runs = await (await open(file)).listRuns({});
    expect(runs.map(({ seq }) => seq)).toEqual([150, 150, 150]);
  });

  test('killed before COMMIT leave nothing, killed after it leave all of it', async () => {
    const file = newFile();
    const kill = (run: string, at: string) =>
      startProgram('append-commits', {
        args: [`sqlite:${file}`, run, '9'],
        env: { PITON_CRASH_AT: `store:${at}#4` },
      }).ended();
    expect(await kill('before', 'before-commit')).toEqual({ lines: ['1', '2', '3'], by: 'SIGKILL' });
    expect(await kill('after', 'after-commit')).toEqual({ lines: ['1', '2', '3'], by: 'SIGKILL' });

    const store = await open(file);
    expect((await store.findRun('before'))?.seq).toBe(3);
    expect((await store.findRun('after'))?.seq).toBe(4);
    expect(await store.readCommits('after', { after: 3, limit: 9 })).toEqual([commit('after', 4)]);
  });
});

describe('the row of a run', () => {
  function writtenAsOf(file: string): unknown {
    using database = new DatabaseSync(file);
    return database.prepare('SELECT as_of FROM runs').get()?.['as_of'];
  }

  test('is written only by commits that change what it says', async () => {
    const file = newFile();
    const store = await open(file);
    const lease = await store.createRun(creation('r1'));
    for (const seq of [2, 3, 4]) await store.append(appending(lease, seq));
    expect(writtenAsOf(file)).toBe(1);
    await store.append(appending(lease, 5, { summary: summary({ reason: 'lunch' }) }));
    await store.append(appending(lease, 6, { summary: summary({ reason: 'lunch', settled: 2 }) }));
    expect(writtenAsOf(file)).toBe(5);
    expect(await store.findRun('r1')).toMatchObject({ seq: 6, settled: 2, reason: 'lunch' });
  });

  test.for([false, true])(
    'says what the last commit says although a COMMIT failed on the way, done or not: %s',
    async (after) => {
      const store = await open(newFile(), '', failing({ from: 3, times: 1, after }));
      const lease = await store.createRun(creation('r1'));
      await store.append(appending(lease, 2));
      await store.append(appending(lease, 3, { summary: summary({ status: 'paused' }) }));
      expect(await store.findRun('r1')).toMatchObject({ seq: 3, status: 'paused' });
      await store.append(appending(lease, 4));
      expect(await store.findRun('r1')).toMatchObject({ seq: 4, status: 'running' });
    },
  );
});

describe('the changes of a store', () => {
  const told = async (store: Store, after?: string): Promise<string[]> => {
    const changes = await store.readChanges({ limit: 999, ...(after !== undefined && { after }) });
    return changes.map(({ run, seq }) => `${run}@${seq}`);
  };

  test('are told without a gap by who opens it anew, whoever was killed on the way', async () => {
    const file = newFile();
    const drive = (run: string, at: string) =>
      startProgram('append-commits', {
        args: [`sqlite:${file}`, run, '5'],
        env: { PITON_CRASH_AT: at },
      }).ended();
    await drive('a', 'store:before-commit#3');
    const first = await openSqliteStore(`sqlite:${file}`, options);
    const cursor = await first.newestCursor();
    expect(await told(first)).toEqual(['a@1', 'a@2']);
    await first.close();
    await drive('b', 'store:after-commit#2');
    await drive('c', 'store:before-commit#2');

    const store = await open(file);
    expect(await told(store, cursor)).toEqual(['b@1', 'b@2', 'c@1']);
  });

  test('keep their cursors when the file is made anew', async () => {
    const file = newFile();
    const store = await openSqliteStore(`sqlite:${file}`, options);
    for (const run of ['a', 'b', 'c']) await store.createRun(creation(run));
    const cursor = (await store.readChanges({ limit: 2 })).at(-1)!.cursor;
    await store.prune({ leaseOf, runs: ['a'], force: true });
    await store.close();
    changeBehindItsBack(file, 'VACUUM');

    expect(await told(await open(file), cursor)).toEqual(['c@1', 'a@undefined']);
  });

  test('are told but for what belongs to no run', async () => {
    const file = newFile();
    const store = await open(file);
    for (const run of ['a', 'b', 'c']) await store.createRun(creation(run));
    changeBehindItsBack(file, `DELETE FROM runs WHERE run = 'b'`);
    expect(await told(store)).toEqual(['a@1', 'c@1']);
    expect(await store.checkMedium()).toEqual([expect.stringContaining('belongs to no run')]);
  });

  test.for([
    ['body', `'b'`],
    ['at', 'at + 1'],
    ['seq', 'seq + 1'],
    ['seal', 'seal + 1'],
    ['number', 'number + 1'],
  ])('that name another run than the one that was removed are found: %s', async ([column, value]) => {
    const file = newFile();
    const store = await open(file);
    await store.createRun(creation('a'));
    await store.prune({ leaseOf, runs: ['a'], force: true });
    expect(await store.checkMedium()).toEqual([]);
    changeBehindItsBack(file, `UPDATE commits SET ${column} = ${value}`);
    expect(await store.checkMedium()).toEqual([expect.stringContaining('of a run that was removed')]);
  });
});

test('a store says where it lies, and whether others do', async () => {
  const file = newFile();
  const store = await open(file);
  expect(store.file).toBe(file);
  writeFileSync(join(dirname(file), 'notes.txt'), 'SQLite format 4');
  expect(await store.mayShareFolder()).toBe(false);
  await storedRun(join(dirname(file), 'other.db'));
  expect(await store.mayShareFolder()).toBe(true);
});

test.runIf(existsSync('/proc/locks'))(
  'a store that looks for others keeps its locks, and those of others that are open here',
  async () => {
    const file = newFile();
    const other = join(dirname(file), 'other.db');
    const store = await open(file);
    await store.createRun(creation('a'));
    const held = locksOn(file, `${file}-shm`);
    expect(held).toEqual([1, 1]);
    expect([await store.mayShareFolder(), locksOn(file, `${file}-shm`)]).toEqual([false, held]);
    await (await open(other)).createRun(creation('a'));
    const files = [file, other].flatMap((each) => [each, `${each}-shm`]);
    expect([await store.mayShareFolder(), locksOn(...files)]).toEqual([true, [1, 1, 1, 1]]);
  },
);

/** How many locks this process holds on each of these files. Without them, others take a store for closed, and its log away. */
function locksOn(...files: readonly string[]): number[] {
  const locks = readFileSync('/proc/locks', 'utf8').split('\n');
  return files.map((file) => {
    const holder = new RegExp(` ${process.pid} \\S+:${statSync(file).ino} `);
    return locks.filter((line) => holder.test(line)).length;
  });
}

test.for([`replace(about, 'one', 'two')`, `about || ' '`, `'{}'`, 'NULL', `'{'`])(
  'what is said of a run is not believed once it was changed on the disk: %s',
  async (changed) => {
    const file = newFile();
    const store = await open(file);
    await store.createRun(creation('said', { at: 1, summary: summary({ about: { name: 'one' } }) }));
    await store.createRun(creation('silent', { at: 2 }));
    changeBehindItsBack(file, `UPDATE runs SET about = ${changed} WHERE run = 'said'`);
    const damage = { code: 'STORE_DAMAGED', details: { run: 'said' } };
    await expect(store.findRun('said')).rejects.toMatchObject(damage);
    await expect(store.listRuns({})).rejects.toMatchObject(damage);
    expect(await store.findRun('silent')).not.toHaveProperty('about');
    changeBehindItsBack(file, `UPDATE runs SET about = '{"name":"two"}' WHERE run = 'silent'`);
    await expect(store.findRun('silent')).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  },
);

test('a page of runs is as long as asked for, whatever is damaged on the way', async () => {
  const file = newFile();
  const store = await open(file);
  for (const at of [1, 2, 3, 4, 5]) await store.createRun(creation(`r${at}`, { at }));
  changeBehindItsBack(file, `UPDATE runs SET status = 'held' WHERE run IN ('r4', 'r3')`);
  const damaged: unknown[] = [];
  const list = async (before?: RunRecord): Promise<RunRecord[]> =>
    store.listRuns({
      limit: 2,
      onDamaged: ({ details }) => damaged.push(details['run']),
      ...(before && { before }),
    });
  const first = await list();
  expect(first.map(({ run }) => run)).toEqual(['r5', 'r2']);
  expect((await list(first.at(-1))).map(({ run }) => run)).toEqual(['r1']);
  expect(damaged).toEqual(['r4', 'r3']);
});

describe('a log that was made longer than it has to be', () => {
  const endsInZeros = (file: string): boolean =>
    readFileSync(`${file}-wal`)
      .subarray(-4096)
      .every((byte) => byte === 0);

  test.for(['log-grown#1', 'log-grown#2', 'before-commit#30', 'after-commit#30'])(
    'by a process that was killed at %s ends, to whoever opens it, with the last commit',
    async (place) => {
      const file = newFile();
      const env = { PITON_CRASH_AT: `store:${place}` };
      const { lines, by } = await startProgram('append-commits', {
        args: [`sqlite:${file}`, 'r1', '99'],
        env,
      }).ended();
      expect({ by, isLonger: endsInZeros(file) }).toEqual({ by: 'SIGKILL', isLonger: true });

      const store = await open(file);
      const last = lines.length + (place.startsWith('after') ? 1 : 0);
      expect((await store.findRun('r1'))?.seq).toBe(last);
      const lease = await findLease(store, 'run:r1');
      await store.append(appending(lease!, last + 1));
      expect(await store.readCommits('r1', { after: 0, limit: 999 })).toHaveLength(last + 1);
      expect(await store.checkMedium()).toEqual([]);
    },
  );

  test('is as long as it may become long before it is full, and no longer', async () => {
    const file = newFile();
    const store = await open(file);
    const lease = await store.createRun(creation('r1'));
    const lengths: number[] = [];
    for (let seq = 2; seq <= 170; seq++) {
      await store.append(appending(lease, seq, { blobs: [blob(`${seq}`.repeat(70_000))] }));
      lengths.push(statSync(`${file}-wal`).size);
    }
    const fullLength = 32 + logPages * (4096 + 24);
    expect(new Set(lengths).size).toBeLessThan(50);
    // A transaction more: whoever passes the end begins anew.
    expect(lengths.at(-1)! - fullLength).toBeGreaterThanOrEqual(0);
    expect(lengths.at(-1)! - fullLength).toBeLessThan(250_000);
  });

  test('is left as it is where commits are not synced', async () => {
    const file = newFile();
    const store = await openSqliteStore(`sqlite:${file}`, { durability: 'process', clock: systemClock });
    onTestFinished(() => store.close());
    const lease = await store.createRun(creation('r1'));
    for (let seq = 2; seq <= 20; seq++) await store.append(appending(lease, seq));
    expect(endsInZeros(file)).toBe(false);
  });
});

function warned(): string[] {
  const warnings: string[] = [];
  const note = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  return warnings;
}

describe('the heartbeat', () => {
  test('keeps the lease of a process whose event loop is blocked for longer, and does not keep it alive', async () => {
    const [made, stored] = [newFile(), newFile()];
    await storedRun(stored);
    const keeps = async (file: string, how: 'create' | 'resume', epoch: number): Promise<void> => {
      const store = await open(file);
      const program = startProgram('block-event-loop', { args: [`sqlite:${file}`, how, '1500', '4000'] });
      expect(await program.nextLine()).toBe('blocking');
      const first = (await findLease(store, 'run:r1'))!;
      await eventually('the lease outlives its first end', () => Date.now() > first.expiresAt + 100);

      expect(await store.takeLease(taking('run:r1'))).toMatchObject({ taken: false, lease: { epoch } });
      expect(await program.ended()).toEqual({ lines: ['written'], by: 0 });
    };
    await Promise.all([keeps(made, 'create', 1), keeps(stored, 'resume', 2)]);
  });

  test('renews a lease under which nothing is written', async () => {
    const store = await open(newFile());
    const { lease } = await store.takeLease(taking('machine', { leaseMs: 1_200 }));
    const standing = async () => (await findLease(store, 'machine'))!;
    await eventually('it is renewed', async () => (await standing()).expiresAt > lease.expiresAt);
    expect(await standing()).toMatchObject({ token: lease.token, epoch: lease.epoch });
  });

  test('renews each of several leases under one token, and frees all of them at the end', async () => {
    const file = newFile();
    const store = await openSqliteStore(`sqlite:${file}`, options);
    const [first, second] = ['lock:a', 'lock:b'].map((name) => taking(name, { token: 't', leaseMs: 600 }));
    const { lease } = await store.takeLease(first!);
    await store.takeLease(second!);
    await eventually('the first is renewed', async () => {
      const { expiresAt } = (await findLease(store, 'lock:a'))!;
      return expiresAt > lease.expiresAt;
    });
    await store.close();
    const other = await open(file);
    expect([await findLease(other, 'lock:a'), await findLease(other, 'lock:b')]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('whose thread has died begins again', async () => {
    const file = newFile();
    const store = await open(file);
    const warnings = warned();
    renameSync(file, `${file}.away`);
    // No thread can open the file. Nothing is written through the connection that has it open.
    symlinkSync('/nowhere/at/all', file);
    const lease = await store.createRun(creation('r1', { leaseMs: 3_000 }));
    await eventually('the thread has died', () => warnings.length > 0);
    rmSync(file);
    renameSync(`${file}.away`, file);

    await eventually('the lease is renewed', async () => {
      const { expiresAt } = (await findLease(store, 'run:r1'))!;
      return expiresAt > lease.expiresAt;
    });
    expect(warnings).toEqual([expect.stringContaining('died')]);
  });

  test('tells a driver whose lease has expired, and does not bring it back', async () => {
    const file = newFile();
    const store = await open(file);
    const lost: string[] = [];
    store.onLeaseLost(({ token }) => lost.push(token));
    const lease = await store.createRun(creation('r1', { leaseMs: 600 }));
    changeBehindItsBack(file, `UPDATE leases SET expires_at = 1`);

    await eventually('the loss is reported', () => lost.length > 0);
    expect(lost).toEqual([lease.token]);
    expect((await findLease(store, 'run:r1'))?.expiresAt).toBe(1);
  });

  test('neither renews nor misses a lease that was given back with the last commit', async () => {
    const file = newFile();
    const store = await open(file);
    const lost: string[] = [];
    store.onLeaseLost(({ token }) => lost.push(token));
    const given = await store.createRun(creation('given', { leaseMs: 600 }));
    const kept = await store.createRun(creation('kept', { leaseMs: 600 }));
    await store.append(appending(given, 2, { release: {} }));
    const other = await open(file);
    await other.takeLease(taking('run:given', { leaseMs: 60_000 }));
    const taken = await findLease(other, 'run:given');
    await eventually('the thread has renewed what is left', async () => {
      const { expiresAt } = (await findLease(store, 'run:kept'))!;
      return expiresAt > kept.expiresAt + 600;
    });

    expect(await findLease(store, 'run:given')).toEqual(taken);
    expect(lost).toEqual([]);
  });
});

test('a backup that fails leaves nothing behind', async () => {
  const file = newFile();
  await storedRun(file);
  const store = await open(file);
  const missing = join(dirname(file), 'nowhere', 'copy.db');
  await expect(store.backup(missing)).rejects.toMatchObject({ code: 'BACKUP_FAILED' });
  writeSync(openSync(file, 'r+'), 'overwritten', 0);
  const copy = join(dirname(file), 'copy.db');
  await expect(store.backup(copy)).rejects.toMatchObject({ code: 'STORE_NOT_A_DATABASE' });

  expect(readdirSync(dirname(file)).filter((name) => name.includes('copy'))).toEqual([]);
});

test('a store that only survives processes says so', async () => {
  const store = await openSqliteStore(`sqlite:${newFile()}`, { durability: 'process', clock: systemClock });
  await store.createRun(creation('r1'));

  expect(store.durability).toBe('process');
  await store.close();
});

/** A store with runs `a` and `b` that have ended. */
async function endedRuns(): Promise<string> {
  const file = newFile();
  await using piton = await openPiton({ store: `sqlite:${file}` });
  const flow = workflow('flow')
    .task('one', () => 1)
    .task('two', { needs: ['one'] }, () => 2);
  // The last one stays, as the newest that succeeded.
  for (const id of ['a', 'b', 'c']) await (await piton.start(flow, { id })).result();
  return file;
}

test.for([
  ['commits', 'at', '1'],
  ['runs', 'status', `'running'`],
  ['runs', 'status', `'runninh'`],
  ['commits', 'settled', '7'],
  ['runs', 'spent', `'{'`],
])(
  'the row of a run that was changed on the disk is not believed: %s.%s = %s',
  async ([table, column, value]) => {
    const file = await endedRuns();
    const ofA =
      table === 'runs' ? `run = 'a'` : `seq = 3 AND run_number = (SELECT number FROM runs WHERE run = 'a')`;
    changeBehindItsBack(file, `UPDATE ${table} SET ${column} = ${value} WHERE ${ofA}`);
    await using piton = await openPiton({ store: `sqlite:${file}` });
    const named = {
      code: 'STORE_DAMAGED',
      details: { run: 'a' },
      remedy: expect.stringContaining('verify a --repair'),
    };
    await expect(piton.find('a')).rejects.toMatchObject(named);
    await expect(piton.runs({ status: ['succeeded'] })).rejects.toMatchObject(named);
    expect(await piton.prune({ before: Date.now() + 1_000 })).toMatchObject({
      runs: 1,
      kept: [{ run: 'c' }, { run: 'a' }],
    });

    const [verdict] = await piton.verify('a');
    expect(verdict).toMatchObject({
      run: 'a',
      ok: false,
      reason: expect.stringContaining(`column ${column}`),
    });
    expect(await piton.repair('a')).toMatchObject({ held: [], mended: [expect.stringContaining(column!)] });
    expect(await piton.verify()).toMatchObject([
      { run: 'c', ok: true },
      { run: 'a', ok: true },
    ]);
    const done = { status: 'succeeded', progress: { done: 2 } };
    expect(await piton.runs()).toMatchObject([
      { run: 'c', ...done },
      { run: 'a', ...done },
    ]);
  },
);

test('a run is not pruned whose journal does not end where its row says', async () => {
  const file = await endedRuns();
  changeBehindItsBack(
    file,
    `DELETE FROM commits WHERE seq = 3 AND run_number = (SELECT number FROM runs WHERE run = 'a')`,
  );
  await using piton = await openPiton({ store: `sqlite:${file}` });
  expect(await piton.prune({ before: Date.now() + 1_000 })).toMatchObject({
    runs: 1,
    kept: [{ run: 'c' }, { run: 'a', reason: expect.stringContaining('does not end where its row says') }],
  });
});

test('a run that was let go of, and whose journal has lost its end since, is not gone on with', async () => {
  const file = newFile();
  const store = await open(file);
  const lease = await store.createRun(creation('r1'));
  await store.append(appending(lease, 2));
  await store.append({ ...appending(lease, 3), release: {} });
  expect((await store.findRun('r1'))?.seq).toBe(3);
  changeBehindItsBack(file, 'DELETE FROM commits WHERE seq = 3');
  await expect(store.findRun('r1')).rejects.toMatchObject({ code: 'STORE_DAMAGED', details: { run: 'r1' } });
});

test('a cursor of changes that an older copy of the store has lost is refused, also when that has gone on as far', async () => {
  const file = newFile();
  const copy = `${newFile()}.copy`;
  const store = await open(file);
  const lease = await store.createRun(creation('r1'));
  await store.backup(copy);
  for (const seq of [2, 3, 4]) await store.append(appending(lease, seq));
  const cursor = await store.newestCursor();
  const [first] = await store.readChanges({ limit: 1 });

  const older = await open(copy);
  await expect(older.readChanges({ after: cursor, limit: 9 })).rejects.toMatchObject({
    code: 'CURSOR_INVALID',
  });
  for (const name of ['x', 'y', 'z', 'w']) await older.createRun(creation(name));
  await expect(older.readChanges({ after: cursor, limit: 9 })).rejects.toMatchObject({
    code: 'CURSOR_INVALID',
  });
  expect((await older.readChanges({ after: first!.cursor, limit: 9 })).map(({ run }) => run)).toEqual([
    'x',
    'y',
    'z',
    'w',
  ]);
});

test('verify goes on behind each commit that is wrong, and names all of them', async () => {
  const file = await endedRuns();
  const ofA = `run_number = (SELECT number FROM runs WHERE run = 'a')`;
  changeBehindItsBack(file, `UPDATE commits SET body = replace(body, 'one', 'eno') WHERE seq = 2 AND ${ofA}`);
  changeBehindItsBack(file, `UPDATE commits SET body = replace(body, 'two', 'owt') WHERE seq = 3 AND ${ofA}`);
  await using piton = await openPiton({ store: `sqlite:${file}` });
  expect((await piton.verify()).find(({ run }) => run === 'a')).toMatchObject({
    commits: 1,
    firstBad: 2,
    faults: [
      {
        in: 'journal',
        seq: 2,
        what: 'commit 2 is not what was written',
        remedy: expect.stringContaining('a@1'),
      },
      { in: 'journal', seq: 3, what: 'commit 3 is not what was written' },
    ],
  });
});
