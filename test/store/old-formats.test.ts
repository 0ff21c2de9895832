import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { listBackups, open, restoreStore, type Piton, type RunVerdict } from '../../src/index.ts';
import { migrations } from '../../src/store/sqlite/migrations.ts';
import { killAt } from '../support/kill.ts';
import { startProgram } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/**
 * Stores as each format was written, with runs in every stage, kept for ever: none of these files is ever written anew. What was
 * written of them is in `expected.json`.
 */
const fixtures = new URL('../fixtures/stores/', import.meta.url);

interface ExpectedRun {
  readonly status: string;
  readonly seq: number;
  readonly hash: string;
  /** What it does was not known before this format. */
  readonly since?: number;
}

const all = JSON.parse(readFileSync(new URL('expected.json', fixtures), 'utf8')) as Record<
  string,
  ExpectedRun
>;

function expectedIn(format: number): Record<string, ExpectedRun> {
  const known = Object.entries(all).filter(([, { since = 1 }]) => since <= format);
  return Object.fromEntries(known.map(([run, { since: _, ...rest }]) => [run, rest]));
}

const formats = readdirSync(fixtures)
  .flatMap((name) => /^format-(\d+)\.db\.gz$/.exec(name)?.[1] ?? [])
  .map(Number)
  .toSorted((a, b) => a - b);

function storeOf(format: number): string {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'piton.db');
  writeFileSync(file, gunzipSync(readFileSync(new URL(`format-${format}.db.gz`, fixtures))));
  return file;
}

async function openIn(file: string): Promise<Piton> {
  const piton = await open({ store: `sqlite:${file}`, durability: 'process' });
  onTestFinished(() => piton.close());
  return piton;
}

/** Of the store itself: what its runs had outside of it is not here. */
function faultsInside(verdicts: readonly RunVerdict[]): string[] {
  return verdicts.flatMap(({ run, faults }) =>
    faults
      .filter(({ in: where }) => where !== 'spool' && where !== 'git')
      .map(({ what }) => `${run}: ${what}`),
  );
}

async function expectAllIn(file: string, format: number): Promise<void> {
  const piton = await openIn(file);
  const found: Record<string, ExpectedRun> = {};
  for (const run of await piton.runIds()) {
    const { status, seq, hash } = await piton.findRecord(run);
    found[run] = { status, seq, hash };
  }
  expect(found).toEqual(expectedIn(format));
  expect(faultsInside(await piton.verify())).toEqual([]);
  expect(await piton.checkStore()).toEqual([]);
  await piton.close();
}

test('there is a store of every earlier format', () => {
  const earlier = Array.from({ length: migrations.length - 1 }, (_, index) => index + 1);
  expect(formats).toEqual(expect.arrayContaining(earlier));
});

test.for(formats)(
  'a store of format %i is opened with all its runs, and is kept as it was',
  async (format) => {
    const file = storeOf(format);
    await expectAllIn(file, format);
    const kept = listBackups({ file });
    expect(kept.map((backup) => backup.format)).toEqual(format === migrations.length ? [] : [format]);
    for (const backup of kept) {
      using database = new DatabaseSync(backup.file, { readOnly: true });
      expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: format });
      expect(database.prepare('SELECT count(*) AS count FROM runs').get()).toEqual({
        count: Object.keys(expectedIn(format)).length,
      });
    }
  },
);

test('a backup of an earlier format is restored, and brought to the present one', async () => {
  const [file, backup] = [storeOf(migrations.length - 1), storeOf(1)];
  await (await openIn(file)).close();
  const before = listBackups({ file }).length;
  const { unchanged, changed } = await restoreStore(
    { store: `sqlite:${file}`, durability: 'process' },
    backup,
  );
  expect([...unchanged, ...changed.map(({ run }) => run)].toSorted()).toEqual(
    Object.keys(expectedIn(1)).toSorted(),
  );
  expect(listBackups({ file })).toHaveLength(before);
  const piton = await openIn(file);
  expect(faultsInside(await piton.verify())).toEqual([]);
});

test.for(['store:before-kept', 'store:after-kept', 'store:before-migrated', 'store:after-migrated'])(
  'a process that is killed at %s leaves the old store or the new one, and backups that can be read',
  async (place) => {
    const file = storeOf(4);
    const args = [`sqlite:${file}`, 'other', '1'];
    await killAt(place, (env) => startProgram('append-commits', { args, env }));
    {
      using database = new DatabaseSync(file, { readOnly: true });
      const version = place === 'store:after-migrated' ? migrations.length : 4;
      expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: version });
    }
    await expectAllIn(file, 4);
    for (const backup of listBackups({ file })) {
      using database = new DatabaseSync(backup.file, { readOnly: true });
      expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    }
  },
);
