/** Files of an older version. There is only one version yet: the migrations here are those of tests. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ConfigMigration } from '../../src/config/config-versions.ts';
import { migrateConfigFile } from '../../src/config/migrate-config.ts';
import { parseConfig } from '../../src/config/parse-config.ts';
import { oneOfEach, killAt, pointsPassed } from '../support/kill.ts';
import { startProgram, type Program } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** `silence` was once the name of `lease`, and was in seconds before that. */
const migrations: readonly ConfigMigration[] = [
  (document) => {
    const seconds = document.get('silence');
    if (typeof seconds === 'number') document.set('silence', `${seconds}s`);
  },
  (document) => {
    const silence: unknown = document.get('silence');
    document.delete('silence');
    if (silence !== undefined) document.set('lease', silence);
  },
];

const old = '# mine\n\nsecrets: [A] # hidden\nsilence: 40\n';

function written(text: string): { readonly folder: string; readonly file: string } {
  const folder = temporaryFolder();
  const file = join(folder, 'config.yaml');
  writeFileSync(file, text);
  return { folder, file };
}

test('a file of an older version is read as it was meant', async () => {
  const { value } = await parseConfig(old, 'config.yaml', migrations);
  expect(value).toEqual({ version: 3, secrets: ['A'], lease: '40s' });
  const second = await parseConfig('version: 2\nsilence: 1m', 'config.yaml', migrations);
  expect(second.value).toEqual({ version: 3, lease: '1m' });
});

test('it is written anew with its comments, and kept as it was', async () => {
  const { file } = written(old);
  chmodSync(file, 0o640);
  const migrated = await migrateConfigFile(file, migrations);
  expect(migrated).toEqual({ file, version: 3, copy: `${file}.v1.bak` });
  expect(readFileSync(file, 'utf8')).toContain('secrets: [ A ] # hidden');
  expect(readFileSync(file, 'utf8')).toContain('# mine');
  expect(statSync(file).mode & 0o777).toBe(0o640);
  expect(readFileSync(`${file}.v1.bak`, 'utf8')).toBe(old);
  expect(await migrateConfigFile(file, migrations)).toEqual({ file, version: 3 });
});

test('a copy of something else is not written over', async () => {
  const { file } = written(old);
  writeFileSync(`${file}.v1.bak`, 'of another day');
  expect(await migrateConfigFile(file, migrations)).toMatchObject({ copy: `${file}.v1-2.bak` });
  expect(readFileSync(`${file}.v1.bak`, 'utf8')).toBe('of another day');
});

test('what a link leads to is migrated, and the link stays', async () => {
  const { folder, file } = written(old);
  const link = join(folder, 'link.yaml');
  symlinkSync('config.yaml', link);
  await migrateConfigFile(link, migrations);
  expect(readFileSync(file, 'utf8')).toContain('lease: 40s');
  expect(readFileSync(link, 'utf8')).toContain('lease: 40s');
});

test('what would not be valid takes no place of anything', async () => {
  const { folder, file } = written(old);
  const wrong: ConfigMigration = (document) => document.set('lease', 'for ever');
  await expect(migrateConfigFile(file, [wrong])).rejects.toThrow('there is no setting silence');
  expect(readdirSync(folder)).toEqual(['config.yaml']);
});

test('a migration that throws changes nothing', async () => {
  const { folder, file } = written(old);
  const throwing: ConfigMigration = () => {
    throw new Error('not today');
  };
  await expect(migrateConfigFile(file, [throwing])).rejects.toThrow('not today');
  expect(readdirSync(folder)).toEqual(['config.yaml']);
});

test('the present version is the first: nothing is migrated', async () => {
  const { file } = written('lease: 1m');
  expect(await migrateConfigFile(file)).toEqual({ file, version: 1 });
  expect(await migrateConfigFile(`${file}.gone`)).toBeUndefined();
});

describe('whoever migrates is killed', () => {
  const text = '# mine\n\ngrace: 1s\nsilence: 40s\n';
  const migrated = '# mine\n\ngrace: 1s\nlease: 40s\nversion: 2\n';
  const start = (file: string) => (env: Readonly<Record<string, string>>) => migrating(file, env);

  test('the file is the old one or the new one, whole, and a second call completes it', async () => {
    const points = oneOfEach(await pointsPassed(start(written(text).file)));
    expect(points.length).toBeGreaterThanOrEqual(3);
    for (const point of points) {
      const { folder, file } = written(text);
      mkdirSync(folder, { recursive: true });
      await killAt(point, start(file));
      expect([...(existsSync(`${file}.v1.bak`) ? [migrated] : []), text]).toContain(
        readFileSync(file, 'utf8'),
      );
      expect(await migrating(file).ended()).toMatchObject({ by: 0 });
      expect(readFileSync(file, 'utf8')).toBe(migrated);
      expect(readFileSync(`${file}.v1.bak`, 'utf8')).toBe(text);
      expect(readdirSync(folder).sort()).toEqual(['config.yaml', 'config.yaml.v1.bak']);
    }
  });
});

function migrating(file: string, env: Readonly<Record<string, string>> = {}): Program {
  return startProgram('migrate-config', { args: [file], env });
}
