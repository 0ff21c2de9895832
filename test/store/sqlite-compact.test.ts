/** What is removed from a store is given back to the file system, whoever else works on it. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { ownIdentity, systemClock } from '../../src/base/index.ts';
import type { Store } from '../../src/store/index.ts';
import type { FaultSeam } from '../../src/store/sqlite/connection.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { appending, blob, creation, leaseOf, summary } from '../../src/testing/store-requests.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const finished = summary({ status: 'succeeded' });
const newFile = (): string => join(temporaryFolder(), 'piton.db');

async function open(file: string, seam?: FaultSeam): Promise<Store> {
  const store = await openSqliteStore(`sqlite:${file}`, { durability: 'process', clock: systemClock }, seam);
  onTestFinished(() => store.close());
  return store;
}

/** Twenty runs of a hundred thousand bytes each, of which all but the last are removed. */
async function pruned(store: Store): Promise<void> {
  for (let count = 0; count < 20; count++) {
    const blobs = [blob(String(count).padEnd(100_000, 'x'))];
    await store.createRun(creation(`r${count}`, { summary: finished, blobs, release: true }));
  }
  const runs = Array.from({ length: 19 }, (_, count) => `r${count}`);
  expect(await store.prune({ leaseOf, runs })).toMatchObject({ runs: 19 });
}

/** As the file of an earlier version is: nobody can tell from a free page who uses its neighbours. */
function makeEarlier(file: string): void {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA auto_vacuum = NONE; VACUUM');
  database.close();
}

async function earlierStore(file: string): Promise<Store> {
  const first = await open(file);
  await first.close();
  makeEarlier(file);
  return open(file);
}

test('a file becomes smaller in steps, while another process writes to it', async () => {
  const file = newFile();
  const [store, other] = [await open(file), await open(file)];
  await pruned(store);
  const lease = await other.createRun(creation('live'));
  const compacting = store.compact({ whole: false });
  for (let seq = 2; seq < 30; seq++) await other.append(appending(lease, seq));
  expect(await compacting).toMatchObject({ freeBytes: 0 });
  // The log is copied by whoever closes it last, if somebody was reading just then.
  await other.close();
  expect(statSync(file).size).toBeLessThan(300_000);
  expect(await store.readCommits('live', { after: 0, limit: 100 })).toHaveLength(29);
  expect(await store.readBlob(blob('19'.padEnd(100_000, 'x')).hash)).toHaveLength(100_000);
});

test('a file of an earlier version is left as it is beside others, and made anew when that is asked for', async () => {
  const file = newFile();
  const store = await earlierStore(file);
  await pruned(store);
  const before = statSync(file).size;
  expect(await store.compact({ whole: false })).toMatchObject({
    reason: expect.stringContaining('earlier version'),
  });
  expect(statSync(file).size).toBeGreaterThanOrEqual(before);
  const anew = await store.compact({ whole: true });
  expect(anew.reason).toBeUndefined();
  expect(anew.freeBytes).toBe(0);
  expect(statSync(file).size).toBeLessThan(300_000);
  // From now on it goes in steps.
  await store.prune({ leaseOf, runs: ['r19'] });
  await pruned(await open(file));
  expect(await store.compact({ whole: false })).toMatchObject({ freeBytes: 0 });
  expect(await store.readBlob(blob('19'.padEnd(100_000, 'x')).hash)).toHaveLength(100_000);
});

test('it is not made anew while somebody drives a run', async () => {
  const file = newFile();
  const store = await earlierStore(file);
  await pruned(store);
  const owner = { ...ownIdentity(), instance: 'ada' };
  const request = creation('live');
  await store.createRun({ ...request, lease: { ...request.lease, owner } });
  expect(await store.compact({ whole: true })).toMatchObject({
    freeBytes: expect.any(Number),
    reason: `process ${process.pid} works on the store; try again when it has ended`,
  });
});

test('a disk that is full keeps nothing but the space: the store is whole', async () => {
  const file = newFile();
  let isFull = false;
  const store = await open(file, {
    commit(statement) {
      if (isFull) throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
      statement.run();
    },
  });
  await pruned(store);
  isFull = true;
  const { freeBytes, reason } = await store.compact({ whole: false });
  expect(freeBytes).toBeGreaterThan(1_000_000);
  expect(reason).toContain('full');
  isFull = false;
  expect(await store.compact({ whole: false })).toMatchObject({ freeBytes: 0 });
  expect((await store.listRuns({})).map(({ run }) => run)).toEqual(['r19']);
});

test('whoever is asked to stop leaves the rest for another time', async () => {
  const store = await open(newFile());
  await pruned(store);
  const { freeBytes, reason } = await store.compact({ whole: false, signal: AbortSignal.abort() });
  expect(freeBytes).toBeGreaterThan(1_000_000);
  expect(reason).toBeUndefined();
});
