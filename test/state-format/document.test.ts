/** docs/reference/state-format.md has every table, column and event, and the reader in Python reads the versions that it names. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exportVersion } from '../../src/engine/carrying/format.ts';
import { eventTypes } from '../../src/model/read-event.ts';
import { journalVersion } from '../../src/model/index.ts';
import { migrations } from '../../src/store/sqlite/migrations.ts';

const page = readFileSync('docs/reference/state-format.md', 'utf8');

test('its tables and events are those of this version', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/write-state-format.ts', '--check'], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(eventTypes.filter((type) => !page.includes(`| \`${type}\``))).toEqual([]);
});

test('the reader knows the versions that are written', () => {
  const reader = readFileSync(join(import.meta.dirname, 'read_state.py'), 'utf8');
  const versions = Object.fromEntries(
    [...reader.matchAll(/^([A-Z_]+) = (\d+)$/gm)].map(([, name, value]) => [name, Number(value)]),
  );
  expect(versions).toMatchObject({
    STORE_FORMAT: migrations.length,
    JOURNAL_VERSION: journalVersion,
    EXPORT_VERSION: exportVersion,
  });
});
