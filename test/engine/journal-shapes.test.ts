import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { journalVersion } from '../../src/model/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const script = join(import.meta.dirname, '../../scripts/write-journal-shapes.ts');
const committed = join(import.meta.dirname, '../fixtures/journal-shapes.txt');

function shapes(...args: string[]): { readonly status: number | null; readonly stderr: string } {
  return spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
}

test('what commits can hold is written down, so that whoever changes it has to think of the version', () => {
  expect(shapes('--check')).toMatchObject({ status: 0, stderr: '' });
});

test('a shape that changes is noticed, and written anew only where no release has written it', () => {
  const file = join(temporaryFolder(), 'shapes.txt');
  const before = readFileSync(committed, 'utf8');
  const changed = before.replace('run.cancelled ', 'run.cancelled-otherwise ');
  expect(changed).not.toBe(before);

  writeFileSync(file, changed.replace(/^.*\n/, `journal version ${journalVersion}, unreleased\n`));
  expect(shapes('--check', file)).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/Write them anew/),
  });
  expect(shapes(file).status).toBe(0);
  expect(readFileSync(file, 'utf8').split('\n').slice(1)).toEqual(before.split('\n').slice(1));

  writeFileSync(file, changed.replace(/^.*\n/, `journal version ${journalVersion}, released with 9.9.9\n`));
  expect(shapes(file)).toMatchObject({ status: 1, stderr: expect.stringMatching(/Raise journalVersion/) });

  writeFileSync(
    file,
    changed.replace(/^.*\n/, `journal version ${journalVersion - 1}, released with 9.9.8\n`),
  );
  expect(shapes(file).status).toBe(0);
});
