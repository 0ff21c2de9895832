import { getEventListeners } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { open, workflow, type Run, type RunEvent } from '../../src/index.ts';
import { systemClock } from '../../src/base/index.ts';
import type { Store } from '../../src/store/index.ts';
import { openMemoryStore } from '../../src/store/memory/index.ts';
import { eventually } from '../support/eventually.ts';
import { latch, openPiton, type Latch } from '../support/open-piton.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const big = 'x'.repeat(20_000);

/** What it says of its first task is too big to be kept with it, and dropped when it has succeeded. */
function forgetful(gate?: Latch) {
  return workflow<{ text: string }>('forgetful', { checkpoint: { preserve: false } })
    .task('write', ({ inputs }) => `${inputs.text}y`)
    .task('read', { needs: ['write'] }, async ({ needs }) => {
      await gate?.opened;
      return needs.write.length;
    });
}

async function eventsOf(run: Run): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of run.events()) events.push(event);
  return events;
}

test('events whose values were dropped after success come without them, and say so', async () => {
  const piton = await openPiton();
  const run = await piton.start(forgetful(), { id: 'r', inputs: { text: big } });
  await run.result();
  await eventually('the values are dropped', async () =>
    (await eventsOf(run)).some(({ dropped }) => dropped),
  );

  const events = await eventsOf(run);

  const marked = events.filter(({ dropped }) => dropped !== undefined);
  expect(marked.map(({ type, dropped }) => [type, dropped])).toEqual([
    ['run.created', ['inputs']],
    ['task.succeeded', ['output']],
  ]);
  expect(marked.map(({ data }) => Object.keys(data))).toEqual([['origin', 'environment', 'workflow'], []]);
  expect(events.at(-1)).toMatchObject({ type: 'run.succeeded' });
  expect(await piton.verify('r')).toMatchObject([{ ok: true }]);
});

test('a reader who is still at the beginning when the values are dropped reads on to the end', async () => {
  const piton = await openPiton();
  const gate = latch();
  const run = await piton.start(forgetful(gate), { inputs: { text: big } });
  const reader = run.events()[Symbol.asyncIterator]();
  const first = await reader.next();
  gate.open();
  await run.result();
  await eventually('the values are dropped', async () =>
    (await eventsOf(run)).some(({ dropped }) => dropped),
  );

  const rest: RunEvent[] = [];
  for await (const event of { [Symbol.asyncIterator]: () => reader }) rest.push(event);

  expect(first.value).toMatchObject({ type: 'run.created', data: { inputs: { text: big } } });
  expect(rest.at(-1)).toMatchObject({ type: 'run.succeeded' });
});

test('a value that is missing in a run that has not succeeded is damage, not a mark', async () => {
  const file = join(temporaryFolder(), 'piton.db');
  const piton = await open({ store: `sqlite:${file}` });
  onTestFinished(() => piton.close());
  const failing = workflow('failing')
    .task('write', () => big)
    .task('fails', { needs: ['write'] }, () => {
      throw new Error('no');
    });
  const run = await piton.start(failing, {});
  await run.result();
  using database = new DatabaseSync(file);
  database.exec('DELETE FROM blobs WHERE length(text) > 15000');

  await expect(eventsOf(run)).rejects.toMatchObject({ code: 'BLOB_MISSING' });
});

test('events that were read to the end leave nothing behind at the signal given to them', async () => {
  const piton = await openPiton();
  const run = await piton.start(
    workflow('w').task('a', () => 1),
    {},
  );
  const { signal } = new AbortController();
  for await (const _ of run.events({ signal }));
  for await (const _ of run.events({ signal })) break;

  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

/** The same medium for somebody else, whose reading of a big value takes so long that the run ends meanwhile. */
async function slowReader(name: string, ends: () => Promise<void>): Promise<Store> {
  const store = await openMemoryStore(`memory:${name}`, { durability: 'full', clock: systemClock });
  const readBlob = store.readBlob.bind(store);
  store.readBlob = async (hash) => {
    await ends();
    return readBlob(hash);
  };
  return store;
}

test('a run that drops its values while somebody reads it gives its result all the same', async () => {
  const name = 'drops-while-read';
  const driving = await openPiton({ store: `memory:${name}` });
  const gate = latch();
  const run = await driving.start(forgetful(gate), { id: 'r', inputs: { text: big } });
  await eventually('it has written', async () => (await run.progress()).done === 1);
  const reading = await openPiton({
    store: await slowReader(name, async () => {
      gate.open();
      await run.result();
    }),
  });

  const { status, tasks } = await (await reading.find('r')).checkpoint();

  expect(status).toBe('succeeded');
  expect(tasks['read']).toMatchObject({ output: 20_001 });
});
