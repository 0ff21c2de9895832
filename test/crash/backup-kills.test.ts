import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkStoreFile, listBackups, open, workflow } from '../../src/index.ts';
import { killAt, twoAtATime, type Starter } from '../support/kill.ts';
import { openPiton } from '../support/open-piton.ts';
import type { KeepOrders } from '../support/programs/keep-store.ts';
import { startProgram } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const flow = workflow('flow')
  .task('one', () => 1)
  .task('two', { needs: ['one'] }, () => 2);

async function addRun(folder: string, id: string): Promise<void> {
  await using piton = await openPiton({ store: `sqlite:${join(folder, 'piton.db')}` });
  await (await piton.start(flow, { id })).result();
}

function keeping(orders: KeepOrders): Starter {
  return (env) => startProgram('keep-store', { args: [JSON.stringify(orders)], env });
}

async function runsIn(folder: string): Promise<string[]> {
  await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}`, durability: 'process' });
  expect((await piton.verify()).filter(({ ok }) => !ok)).toEqual([]);
  expect(await piton.checkStore()).toEqual([]);
  return (await piton.runs()).map(({ run }) => run).sort();
}

const steps = ['before:backup.copied', 'after:backup.copied', 'before:backup.named', 'after:backup.named'];

test('a process that is killed while it makes a backup leaves it whole or none, and the next one tidies up', async () => {
  await twoAtATime([...steps, 'before:backup.removed', 'after:backup.removed'], async (place) => {
    const folder = temporaryFolder();
    await addRun(folder, 'r1');
    const orders = { folder, keep: 2 };
    for (let made = 0; made < 2; made++) await keeping(orders)({}).ended();
    await killAt(place, keeping(orders));

    const backups = listBackups({ file: join(folder, 'piton.db') });
    expect(backups.length).toBeGreaterThanOrEqual(2);
    for (const { file } of backups)
      expect([place, await checkStoreFile('sqlite:', file)]).toEqual([place, []]);
    expect(await keeping(orders)({}).ended()).toMatchObject({ by: 0, lines: [] });
    // Two that are kept, and nothing of the one that was not completed.
    expect([place, readdirSync(join(folder, 'backups')).length]).toEqual([place, 2]);
    expect(await runsIn(folder)).toContain('r1');
  });
});

test('a process that is killed while it restores a backup leaves the old store or the new one, whole', async () => {
  const places = ['restore.copied', 'restore.kept', 'restore.replaced'].flatMap((name) => [
    `before:${name}`,
    `after:${name}`,
  ]);
  await twoAtATime(places, async (place) => {
    const folder = temporaryFolder();
    await addRun(folder, 'r1');
    const backup = join(folder, 'a copy.db');
    {
      await using piton = await openPiton({ store: `sqlite:${join(folder, 'piton.db')}` });
      await piton.backup(backup);
    }
    await addRun(folder, 'r2');
    await killAt(place, keeping({ folder, restore: backup }));

    const isNew = place === 'after:restore.replaced';
    expect([place, await runsIn(folder)]).toEqual([place, isNew ? ['r1'] : ['r1', 'r2']]);
    await keeping({ folder, restore: backup })({}).ended();
    expect([place, await runsIn(folder)]).toEqual([place, ['r1']]);
    const aside = readdirSync(folder).filter((name) => name.includes('.replaced-'));
    expect(aside.length).toBeGreaterThan(0);
    for (const name of aside) expect(await checkStoreFile('sqlite:', join(folder, name))).toEqual([]);
  });
});

test('a store that is no database any more is replaced, and kept', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'piton.db');
  await addRun(folder, 'r1');
  const backup = join(folder, 'copy.db');
  {
    await using piton = await openPiton({ store: `sqlite:${file}` });
    await piton.backup(backup);
  }
  const rubbish = 'no database'.repeat(1_000);
  writeFileSync(file, rubbish);
  const { lines, by } = await keeping({ folder, restore: backup })({}).ended();
  expect(by).toBe(0);
  const aside = lines[0]!.slice('aside '.length);
  expect(readFileSync(aside, 'utf8')).toBe(rubbish);
  expect(await runsIn(folder)).toEqual(['r1']);
});
