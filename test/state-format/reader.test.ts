/** A reader in another language, written by docs/reference/state-format.md alone, finds what Piton finds. */
import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { open, stateGraph, workflow, type Piton } from '../../src/index.ts';
import { openStore } from '../../src/store/index.ts';
import { fixtureNames, readFixture } from '../support/interrupted/fixture.ts';
import { loadJournal, nowhere } from '../support/interrupted/load.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface ReadRun {
  readonly seq: number;
  readonly hash: string;
  readonly status?: string;
  readonly events: number;
  readonly tasks: Readonly<Record<string, string>>;
  readonly faults: readonly string[];
}

const reader = join(import.meta.dirname, 'read_state.py');

function read(kind: 'store' | 'export', file: string): Record<string, ReadRun> {
  const { status, stdout, stderr } = spawnSync('python3', [reader, kind, file], {
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, ReadRun>;
}

beforeAll(() => {
  const { error } = spawnSync('python3', ['--version']);
  if (error !== undefined)
    throw new Error('python3 is not installed: the reader of the state format cannot be run');
});

const big = 'ü'.repeat(20_000);

/** Runs of every form that have ended, and one that waits for a person. */
async function addRuns(piton: Piton): Promise<void> {
  const child = workflow('child').task('inner', () => big);
  const all = workflow('all', { failFast: false })
    .task(
      'items',
      { forEach: { in: () => ['a b', 'c[d]', big], key: (word) => word.slice(0, 5) } },
      ({ item }) => item,
    )
    .task('nested', {}, child)
    .task('fails', () => {
      throw new Error(big);
    })
    .task('after', { needs: ['fails'] }, () => 1)
    .task('asks', { approval: 'really?' }, () => 1);
  const graph = stateGraph<{ text: string }>('graph', { maxSteps: 10 })
    .node('write', async () => ({ text: big }))
    .node('read', async () => ({}))
    .edge('write', 'read')
    .edge('read', 'end');
  const waiting = await piton.start(all, { id: 'waits' });
  await expect.poll(() => waiting.status()).toBe('held');
  await (await piton.start(graph, { id: 'graph', state: { text: '' } })).result();
}

/** As the reader tells them: what has not begun, or is to be tried again, waits. */
async function tasksOf(piton: Piton, run: string): Promise<Record<string, string>> {
  const { tasks } = await (await piton.find(run)).checkpoint();
  return Object.fromEntries(
    Object.entries(tasks).map(([task, { status }]) => [
      task,
      status === 'pending' || status === 'queued' ? 'waiting' : status,
    ]),
  );
}

/** A task that no event names waits for its turn. */
function withUnnamed(found: ReadRun['tasks'], all: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.keys(all).map((task) => [task, found[task] ?? 'waiting']));
}

test('all runs of a store, in every stage: the same hashes, the same events, the same status of every task', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'piton.db');
  const store = await openStore(`sqlite:${file}`, { durability: 'process', clock: systemClock });
  for (const name of fixtureNames()) await loadJournal(store, readFixture(name), nowhere);
  await store.close();
  await using piton = await open({ store: `sqlite:${file}`, durability: 'process' });
  await addRuns(piton);

  const found = read('store', file);
  const ids = await piton.runIds();
  expect(Object.keys(found).sort()).toEqual([...ids].sort());
  expect(ids.length).toBeGreaterThan(40);
  for (const id of ids) {
    const { seq, hash, status } = await piton.findRecord(id);
    const mine = await tasksOf(piton, id);
    const events = (await Array.fromAsync((await piton.find(id)).history())).length;
    const { tasks, dropped: _, ...rest } = found[id]! as ReadRun & { dropped: number };
    expect(rest).toEqual({ seq, hash, status, events, faults: [] });
    expect({ id, tasks: withUnnamed(tasks, mine) }).toEqual({ id, tasks: mine });
  }
});

test('an export: the same as in the store', async () => {
  const folder = temporaryFolder();
  await using piton = await open({ store: `sqlite:${folder}/piton.db`, durability: 'process' });
  await addRuns(piton);
  const stored = read('store', join(folder, 'piton.db'));
  for (const id of ['waits', 'graph']) {
    await piton.export(id, join(folder, `${id}.piton`));
    const { status: _, ...wanted } = stored[id]!;
    expect(read('export', join(folder, `${id}.piton`))).toEqual({ [id]: wanted });
  }
});

test('what was changed on the disk is found', async () => {
  const folder = temporaryFolder();
  {
    await using piton = await open({ store: `sqlite:${folder}/piton.db`, durability: 'process' });
    await addRuns(piton);
  }
  const changes: Readonly<Record<string, RegExp>> = {
    [`UPDATE commits SET body = replace(body, '"epoch":1', '"epoch":2') WHERE seq = 2`]:
      /not what was written/,
    [`DELETE FROM commits WHERE seq = 2`]: /is missing/,
    [`UPDATE runs SET status = 'succeeded'`]: /seal of its row/,
    [`UPDATE commits SET settled = settled + 1`]: /seal of its last commit/,
    [`UPDATE blobs SET text = text || ' '`]: /the value/,
  };
  for (const [sql, fault] of Object.entries(changes)) {
    const copy = join(temporaryFolder(), 'piton.db');
    copyFileSync(join(folder, 'piton.db'), copy);
    const database = new DatabaseSync(copy);
    database.exec(sql);
    database.close();
    expect(read('store', copy)['waits']!.faults.join()).toMatch(fault);
  }
});
