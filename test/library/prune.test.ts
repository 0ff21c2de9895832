/** What goes of runs that have ended, and what is left of those whose payloads went. */
import { join } from 'node:path';
import { statSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { manualClock } from '../../src/base/index.ts';
import { open, stateGraph, workflow, type Definition, type Piton } from '../../src/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const dayMs = 86_400_000;

/** Each step has another big value: the last one alone is its result. */
const bulky = (name: string) =>
  stateGraph<{ text: string; n: number }>(name, { state: { text: '', n: 0 } })
    .node('a', ({ n }) => ({ text: `${Math.random()}${n}`.padEnd(20_000, 'x'), n: n + 1 }))
    .edge('a', 'end', ({ n }) => n === 5)
    .edge('a', 'a');

/** The same, and then it fails. */
const failing = (name: string) =>
  workflow(name)
    .task('big', {}, bulky('steps'))
    .task('broken', { needs: ['big'] }, () => {
      throw new Error('no');
    });

async function newStore(folder = temporaryFolder()) {
  const clock = manualClock(100 * dayMs);
  const piton = await open({ store: `sqlite:${join(folder, 'piton.db')}`, durability: 'process', clock });
  onTestFinished(() => piton.close());
  const runOn = async (day: number, id: string, definition: Definition = bulky('ship')): Promise<void> => {
    clock.advance(day * dayMs - clock.now());
    await (await piton.start(definition, { id })).result();
  };
  return { folder, clock, piton, runOn };
}

async function leftIn(piton: Piton): Promise<string[]> {
  return (await piton.runs()).map(({ run }) => run).sort();
}

const goneOf = ({ gone }: Awaited<ReturnType<Piton['prune']>>): string[] =>
  gone.map(({ record, what }) => `${what} of ${record.run}`);

test('runs go by age: their journals may stay for longer than their payloads', async () => {
  const { piton, runOn, clock } = await newStore();
  for (const [day, id] of [
    [100, 'old'],
    [120, 'middle'],
    [130, 'new'],
  ] as const)
    await runOn(day, id);
  const limits = { before: clock.now() - 20 * dayMs, payloadsBefore: clock.now() - 5 * dayMs };
  const report = await piton.prune(limits);
  expect(goneOf(report)).toEqual(['run of old', 'payloads of middle']);
  expect(report.kept).toContainEqual({ run: 'new', reason: 'it is the newest of ship that succeeded' });
  expect(await leftIn(piton)).toEqual(['middle', 'new']);
  expect(await piton.verify()).toMatchObject([{ ok: true }, { ok: true }]);
  expect(await piton.checkStore()).toEqual([]);
  // Dropping them did not make it younger, and nothing is left to be dropped.
  expect(goneOf(await piton.prune(limits))).toEqual([]);
  clock.advance(20 * dayMs);
  expect(goneOf(await piton.prune({ before: clock.now() - 20 * dayMs }))).toEqual(['run of middle']);
});

test('a run without its payloads still tells what happened and what came of it, and can be gone on with', async () => {
  const { piton, runOn, clock } = await newStore();
  await runOn(100, 'r', failing('ship'));
  clock.advance(10 * dayMs);
  expect(goneOf(await piton.prune({ payloadsBefore: clock.now() }))).toEqual(['payloads of r']);
  const run = await piton.find('r');
  expect(await run.status()).toBe('failed');
  expect((await run.checkpoint()).tasks['big']).toMatchObject({ status: 'succeeded' });
  const types: string[] = [];
  for await (const { type } of run.history()) types.push(type);
  expect(types).toEqual(expect.arrayContaining(['task.succeeded', 'run.failed', 'payloads.dropped']));
  expect(await piton.verify('r')).toMatchObject([{ ok: true }]);

  const mended = workflow('ship')
    .task('big', {}, bulky('steps'))
    .task('broken', { needs: ['big'] }, () => 'mended');
  const again = await piton.resume(mended, 'r', { redo: ['broken'], acceptDrift: true });
  expect(await again.result()).toMatchObject({ status: 'succeeded' });
  expect(await piton.verify('r')).toMatchObject([{ ok: true }]);
});

test('the store is made smaller than it may be: payloads of the oldest go first, then the oldest', async () => {
  const { piton, runOn, folder } = await newStore();
  for (let day = 100; day < 120; day++) await runOn(day, `r${day}`);
  const file = join(folder, 'piton.db');
  const dry = await piton.prune({ maxBytes: 1_000_000, dryRun: true });
  expect(dry.gone.every(({ what }) => what === 'payloads')).toBe(true);
  expect(dry.gone[0]?.record.run).toBe('r100');
  expect(await leftIn(piton)).toHaveLength(20);
  const { space } = await piton.prune({ maxBytes: 1_000_000 });
  expect(space?.freeBytes).toBe(0);
  expect(statSync(file).size).toBeLessThan(1_000_000);
  expect(await leftIn(piton)).toHaveLength(20);
  await piton.prune({ maxBytes: 200_000 });
  expect(statSync(file).size).toBeLessThan(200_000);
  expect(await leftIn(piton)).toContain('r119');
  expect(await leftIn(piton)).not.toContain('r100');
  expect((await piton.verify()).every(({ ok }) => ok)).toBe(true);
});

test('what has not ended, or is being driven, stays, and the report says why', async () => {
  const { piton, runOn, clock } = await newStore();
  await runOn(100, 'ended', failing('ship'));
  const waiting = workflow('waiting').task('a', { approval: 'Go on?' }, () => 1);
  const run = await piton.start(waiting, { id: 'waits' });
  clock.advance(50 * dayMs);
  const report = await piton.prune({ before: clock.now(), payloadsBefore: clock.now(), maxBytes: 0 });
  expect(goneOf(report)).toEqual(['run of ended']);
  expect(report.kept).toEqual([{ run: 'waits', reason: expect.stringContaining('it has not ended') }]);
  await run.cancel('enough');
});

test('nothing goes when no limit is given', async () => {
  const { piton, runOn } = await newStore();
  await runOn(100, 'r', failing('ship'));
  expect(await piton.prune({})).toMatchObject({ runs: 0, gone: [], kept: [] });
  expect(await leftIn(piton)).toEqual(['r']);
});

test('two who prune, a backup and a driver get along: nobody loses anything but what was to go', async () => {
  const { piton, runOn, folder, clock } = await newStore();
  for (let day = 100; day < 120; day++) await runOn(day, `r${day}`);
  const another = await open({ store: `sqlite:${join(folder, 'piton.db')}`, durability: 'process', clock });
  onTestFinished(() => another.close());
  const limits = { before: 110 * dayMs, payloadsBefore: 115 * dayMs };
  const driven = await another.start(bulky('other'), { id: 'driven' });
  const [first, second, result] = await Promise.all([
    piton.prune(limits),
    another.prune(limits),
    driven.result(),
    piton.backup(join(folder, 'backup.db')),
  ]);
  expect(result).toMatchObject({ status: 'succeeded' });
  expect(new Set([...goneOf(first), ...goneOf(second)]).size).toBe(15);
  expect(await leftIn(piton)).toEqual([
    'driven',
    ...Array.from({ length: 10 }, (_, index) => `r${110 + index}`),
  ]);
  expect((await piton.verify()).filter(({ ok }) => !ok)).toEqual([]);
  const copy = await open({ store: `sqlite:${join(folder, 'backup.db')}`, durability: 'process', clock });
  onTestFinished(() => copy.close());
  expect(await copy.checkStore()).toEqual([]);
});
