import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import {
  checkStoreFile,
  listBackups,
  manualClock,
  open,
  restoreStore,
  workflow,
  type OpenOptions,
} from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { latch, openPiton } from '../support/open-piton.ts';
import { startProgram } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const day = 24 * 3_600_000;
const flow = workflow('flow').task('one', () => 1);

function storeIn(folder: string, more: Partial<OpenOptions> = {}): OpenOptions {
  return { store: `sqlite:${join(folder, 'piton.db')}`, durability: 'process', ...more };
}

async function addRun(options: OpenOptions, id: string): Promise<void> {
  await using piton = await open(options);
  await (await piton.start(flow, { id })).result();
}

test('backups are made as often as the policy says, while a run is driven; the oldest go, and nothing that is not ours', async () => {
  const folder = temporaryFolder();
  const clock = manualClock();
  const done = latch();
  const waiting = workflow('waiting').task('wait', () => done.opened);
  const options = storeIn(folder, { clock, backups: { everyMs: day, keep: 2 } });
  const names = (): string[] =>
    existsSync(join(folder, 'backups')) ? readdirSync(join(folder, 'backups')).sort() : [];
  const piton = await open(options);
  onTestFinished(() => piton.close());
  const run = await piton.start(waiting, { id: 'r1' });
  const known = new Set<string>();
  for (let days = 0; days < 4; days++) {
    await eventually('the backup of the day is made', () =>
      names().some((name) => name.endsWith('.backup') && !known.has(name)),
    );
    for (const name of names()) known.add(name);
    if (days === 0) {
      for (const theirs of ['piton.db.mine.backup', 'other.db.20200102T030405678Z.backup', 'notes'])
        writeFileSync(join(folder, 'backups', theirs), 'precious');
      mkdirSync(join(folder, 'backups/piton.db.20200102T030405678Z.backup'));
      for (const name of names()) known.add(name);
    }
    clock.advance(day);
  }
  done.open();
  await run.result();
  await piton.close();

  const made = listBackups({ file: join(folder, 'piton.db') });
  expect(made).toHaveLength(2);
  for (const { file } of made) {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await checkStoreFile('sqlite:', file)).toEqual([]);
  }
  expect(names()).toEqual(
    expect.arrayContaining([
      'notes',
      'other.db.20200102T030405678Z.backup',
      'piton.db.20200102T030405678Z.backup',
      'piton.db.mine.backup',
    ]),
  );
  expect(names()).toHaveLength(6);
});

test('of several processes that are due to make a backup, one does', async () => {
  const folder = temporaryFolder();
  const options = storeIn(folder, { backups: { everyMs: day, keep: 9 } });
  await addRun(storeIn(folder), 'r0');
  await Promise.all(['r1', 'r2', 'r3', 'r4'].map((id) => addRun(options, id)));
  expect(readdirSync(join(folder, 'backups'))).toHaveLength(1);
});

test('of a store that is damaged no backup is made by itself, and no older one is removed', async () => {
  const folder = temporaryFolder();
  const clock = manualClock();
  const options = storeIn(folder, { clock, backups: { everyMs: 1_000, keep: 1 } });
  await addRun(options, 'r1');
  const before = readdirSync(join(folder, 'backups'));
  {
    using database = new DatabaseSync(join(folder, 'piton.db'));
    database.exec(`UPDATE commits SET body = replace(body, 'one', 'eno') WHERE seq = 1`);
  }
  clock.advance(day);
  const warnings: Error[] = [];
  const warned = (warning: Error): void => void warnings.push(warning);
  process.on('warning', warned);
  onTestFinished(() => void process.off('warning', warned));
  await addRun(options, 'r2');
  await eventually('it is told', () => warnings.length > 0);
  expect(warnings[0]!.message).toContain('r1@1: it is not what was written');
  expect(readdirSync(join(folder, 'backups'))).toEqual(before);
});

test('a disk that fills while a backup is made leaves no backup, and the store as it was', async () => {
  const folder = temporaryFolder();
  {
    await using piton = await openPiton(storeIn(folder));
    const big = workflow('big').task('one', () => 'x'.repeat(900_000));
    await (await piton.start(big, { id: 'big' })).result();
  }
  const args = [JSON.stringify({ folder })];
  const program = startProgram('keep-store', { args, under: 'ulimit -f 600' });
  expect(await program.ended()).toMatchObject({ by: 0 });
  expect(readdirSync(join(folder, 'backups'))).toEqual([]);
  const backup = join(folder, 'copy.db');
  const piton = await openPiton(storeIn(folder));
  await piton.backup(backup);
  await piton.close();
  const restoring = startProgram('keep-store', {
    args: [JSON.stringify({ folder, restore: backup })],
    under: 'ulimit -f 600',
  });
  expect((await restoring.ended()).lines).toEqual([expect.stringMatching(/^refused BACKUP_/)]);
  expect(readdirSync(folder).filter((name) => name.includes('restor') || name.includes('replaced'))).toEqual(
    [],
  );
  expect(await checkStoreFile('sqlite:', join(folder, 'piton.db'))).toEqual([]);
});

interface Scene {
  readonly folder: string;
  readonly backup: string;
}

/** A store with a run, and a backup of it. */
async function scene(): Promise<Scene> {
  const folder = temporaryFolder();
  const backup = join(folder, 'a copy.db');
  await using piton = await openPiton(storeIn(folder));
  await (await piton.start(flow, { id: 'r1' })).result();
  await piton.backup(backup);
  return { folder, backup };
}

const unusable: readonly [string, (scene: Scene) => void | Promise<void>, string][] = [
  ['is empty', ({ backup }) => truncateSync(backup, 0), 'is no store of Piton'],
  ['is cut off', ({ backup }) => truncateSync(backup, statSync(backup).size - 9_000), 'malformed'],
  ['is no database', ({ backup }) => writeFileSync(backup, 'no database'.repeat(500)), 'cannot be read'],
  [
    'is of a newer format',
    ({ backup }) => new DatabaseSync(backup).exec('PRAGMA user_version = 99'),
    'has format 99',
  ],
  [
    'has a changed commit',
    ({ backup }) => new DatabaseSync(backup).exec(`UPDATE commits SET body = replace(body, 'one', 'eno')`),
    'is damaged (r1@1: it is not what was written)',
  ],
  [
    'is of another store',
    async ({ backup }) => {
      const other = temporaryFolder();
      await addRun(storeIn(other), 'elsewhere');
      copyFileSync(join(other, 'piton.db'), backup);
    },
    'has no run in common with the store',
  ],
];

test.for(unusable)(
  'a backup that %s is refused in words, and nothing is changed',
  async ([, spoil, words]) => {
    const given = await scene();
    const { folder, backup } = given;
    await spoil(given);
    await expect(restoreStore(storeIn(folder), backup)).rejects.toMatchObject({
      code: 'BACKUP_UNUSABLE',
      message: expect.stringContaining(words),
    });
    const piton = await openPiton(storeIn(folder));
    expect((await piton.runs()).map(({ run }) => run)).toEqual(['r1']);
    await piton.close();
    expect(readdirSync(folder).filter((name) => /restoring|replaced/.test(name))).toEqual([]);
  },
);

test('a link, a folder, the store itself, or nothing in the place of a backup is refused', async () => {
  const { folder, backup } = await scene();
  const linked = join(folder, 'linked.db');
  symlinkSync(backup, linked);
  for (const [file, words] of [
    [linked, 'is a link'],
    [folder, 'is no file'],
    [join(folder, 'piton.db'), 'is the store itself'],
    [join(folder, 'nowhere'), 'is not there'],
  ] as const) {
    await expect(restoreStore(storeIn(folder), file)).rejects.toMatchObject({
      code: 'BACKUP_UNUSABLE',
      message: expect.stringContaining(words),
    });
  }
  await expect(restoreStore(storeIn(folder))).rejects.toMatchObject({
    message: expect.stringContaining('no backup'),
  });
});

test('no backup is restored while anybody drives a run, or has the store open', async () => {
  const { folder, backup } = await scene();
  const done = latch();
  const options = { ...storeIn(folder), store: `sqlite:${join(folder, 'piton.db')}?patience=50` };
  const piton = await openPiton(options);
  await expect(restoreStore(options, backup)).rejects.toMatchObject({ code: 'STORE_BUSY' });
  const run = await piton.start(
    workflow('waiting').task('wait', () => done.opened),
    { id: 'r2' },
  );
  await expect(restoreStore(options, backup)).rejects.toMatchObject({ code: 'STORE_BUSY' });
  done.open();
  await run.result();
  await piton.close();
  expect(await restoreStore(options, backup)).toMatchObject({ unchanged: ['r1'], lost: ['r2'] });
});

test('functions that have run since the backup are held, whether or not the store can be read', async () => {
  for (const isReadable of [true, false]) {
    const folder = temporaryFolder();
    const backup = join(folder, 'copy.db');
    const ran: string[] = [];
    const gated = workflow('gated')
      .task('one', () => ran.push('one'))
      .task('two', { needs: ['one'], approval: 'Go on?' }, () => ran.push('two'));
    {
      await using piton = await open(storeIn(folder));
      const run = await piton.start(gated, { id: 'r1' });
      await eventually('it asks', async () => (await piton.inbox()).length > 0);
      await piton.backup(backup);
      await run.approve('two');
      await run.result();
    }
    if (!isReadable) truncateSync(join(folder, 'piton.db'), 3_000);
    const restored = await restoreStore(storeIn(folder), backup);
    expect(restored).toMatchObject({ changed: [{ run: 'r1', held: ['two'] }] });
    await using piton = await open(storeIn(folder));
    await piton.resume(gated, 'r1');
    await eventually('it is held', async () => (await piton.inbox()).some(({ task }) => task === 'two'));
    expect(ran).toEqual(['one', 'two']);
  }
});

test('where nothing tells of functions since the backup, all that had not settled is held', async () => {
  const folder = temporaryFolder();
  const backup = join(folder, 'copy.db');
  const [begun, done] = [latch(), latch()];
  const ran: string[] = [];
  const flowing = workflow('flowing')
    .task('one', async () => {
      begun.open();
      await done.opened;
      ran.push('one');
    })
    .task('two', { needs: ['one'] }, () => void ran.push('two'));
  {
    await using piton = await open(storeIn(folder));
    const run = await piton.start(flowing, { id: 'r1' });
    await begun.opened;
    await piton.backup(backup);
    done.open();
    await run.result();
  }
  truncateSync(join(folder, 'piton.db'), 3_000);
  const { changed } = await restoreStore(storeIn(folder), backup);
  expect(changed).toMatchObject([{ run: 'r1', held: ['one', 'two'] }]);
  await using piton = await open(storeIn(folder));
  await piton.resume(flowing, 'r1');
  await eventually('it is held', async () => (await piton.inbox()).some(({ task }) => task === 'one'));
  expect(ran).toEqual(['one', 'two']);
});

test('what is said of a damaged store names the newest backup, and the command that uses it', async () => {
  const folder = temporaryFolder();
  const options = storeIn(folder, { backups: { everyMs: day, keep: 2 } });
  await addRun(options, 'r1');
  const [newest] = listBackups({ file: join(folder, 'piton.db') });
  truncateSync(join(folder, 'piton.db'), 5_000);
  await expect(open(options).then((piton) => piton.runs())).rejects.toMatchObject({
    remedy: expect.stringMatching(new RegExp(`${newest!.file}.*: piton store restore$`)),
  });
});
