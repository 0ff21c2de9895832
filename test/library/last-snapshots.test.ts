import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { open, stateGraph, type Piton } from '../../src/index.ts';
import { PitonError, systemClock } from '../../src/base/index.ts';
import { openMemoryStore } from '../../src/store/memory/index.ts';
import { latch, openPiton } from '../support/open-piton.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A store of its own, each time it is opened. */
function newStore() {
  const file = `${temporaryFolder()}/state.db`;
  return {
    file,
    open: (): Promise<Piton> => open({ store: `sqlite:${file}`, durability: 'process' }),
    /** Where the snapshots of the run are, and where its journal ends. */
    places(): { snapshots: number[]; end: number } {
      using database = new DatabaseSync(file);
      const rows = database.prepare('SELECT seq FROM snapshots ORDER BY seq').all();
      const { seq } = database.prepare('SELECT max(seq) AS seq FROM commits').get()!;
      return { snapshots: rows.map((row) => Number(row['seq'])), end: Number(seq) };
    },
  };
}

/** Counts up to `steps`, and waits at `at` for the others to leave. */
function counting(steps: number, { at = 0, reached = (): void => {} } = {}) {
  return stateGraph<{ n: number }>('counting', { maxSteps: 1e6, state: { n: 0 } })
    .node('a', async ({ n }, { signal }) => {
      if (n + 1 === at) {
        reached();
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('left'))));
      }
      return { n: n + 1 };
    })
    .edge('a', 'end', ({ n }) => n >= steps)
    .edge('a', 'a');
}

test('a long run leaves a snapshot of its end, a short one does not', async () => {
  for (const [steps, expected] of [
    [150, true],
    [50, false],
  ] as const) {
    const store = newStore();
    const piton = await store.open();
    await (await piton.start(counting(steps), {})).result();
    await piton.close();
    const { snapshots, end } = store.places();
    expect(snapshots).toEqual(expected ? [end] : []);
  }
});

test('a run whose state is about as long as its journal leaves none: it would be stored twice', async () => {
  const store = newStore();
  const piton = await store.open();
  const growing = stateGraph<{ all: string[] }>('growing', { maxSteps: 1e6, state: { all: [] } })
    .node('a', ({ all }) => ({ all: [...all, 'x'.repeat(2_000)] }))
    .edge('a', 'end', ({ all }) => all.length >= 150)
    .edge('a', 'a');
  await (await piton.start(growing, {})).result();
  await piton.close();
  expect(store.places().snapshots).toEqual([]);
});

test('a long run that is let go of leaves a snapshot, and so does one that is taken up often', async () => {
  const store = newStore();
  for (const at of [60, 90, 120]) {
    const piton = await store.open();
    const waiting = latch();
    const definition = counting(150, { at, reached: waiting.open });
    if (at === 60) await piton.start(definition, { id: 'r' });
    else await piton.resume(definition, 'r');
    await waiting.opened;
    await piton.close();
    const { snapshots, end } = store.places();
    // Since the last snapshot a hundred commits are written at the earliest.
    expect(snapshots).toEqual(at === 120 ? [end] : []);
  }
  const piton = await store.open();
  const run = await piton.resume(counting(150), 'r');
  expect((await run.result()).state).toEqual({ n: 150 });
  await piton.close();
});

test('a run has ended as it has, whatever keeps its last snapshot from being written', async () => {
  const store = await openMemoryStore('memory:', { durability: 'full', clock: systemClock });
  let tries = 0;
  store.saveSnapshot = async () => {
    tries++;
    throw new PitonError('STORE_GONE', 'Somebody has deleted it.');
  };
  const piton = await openPiton({ store });
  const run = await piton.start(counting(150), {});
  expect(await run.result()).toMatchObject({ status: 'succeeded' });
  expect(tries).toBe(1);
});

test('who goes on with a run, or verifies it, sees damage before its snapshot, which who looks does not read', async () => {
  const store = newStore();
  const first = await store.open();
  const waiting = latch();
  await first.start(counting(150, { at: 120, reached: waiting.open }), { id: 'r' });
  await waiting.opened;
  await first.close();
  using database = new DatabaseSync(store.file);
  database.exec(`UPDATE commits SET body = replace(body, '"at":', '"at":1') WHERE seq = 5`);

  const second = await store.open();

  expect((await (await second.find('r')).checkpoint()).state).toEqual({ n: 119 });
  expect(await second.verify('r')).toMatchObject([{ ok: false, firstBad: 5 }]);
  await expect(second.resume(counting(150), 'r')).rejects.toMatchObject({ code: 'RUN_DAMAGED' });
  await second.close();
});

test('a snapshot of the end of a run that keeps its values hides none that is missing', async () => {
  const store = newStore();
  const piton = await store.open();
  const big = stateGraph<{ n: number; text: string }>('big', { maxSteps: 999, state: { n: 0, text: '' } })
    .node('a', ({ n }) => ({ n: n + 1, text: 'x'.repeat(n === 0 ? 15_000 : 1) }))
    .edge('a', 'end', ({ n }) => n >= 120)
    .edge('a', 'a');
  expect(await (await piton.start(big, { id: 'r' })).result()).toMatchObject({ status: 'succeeded' });
  const { snapshots, end } = store.places();
  expect(snapshots).toEqual([end]);
  using database = new DatabaseSync(store.file);
  database.exec('DELETE FROM blobs WHERE length(text) BETWEEN 15000 AND 15100');

  expect(await piton.verify('r')).toMatchObject([{ ok: false }]);
  const run = await piton.find('r');
  await expect(Array.fromAsync(run.events())).rejects.toMatchObject({ code: 'BLOB_MISSING' });
  await piton.close();
});
