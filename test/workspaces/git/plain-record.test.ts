import { existsSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keepPlain, keepPlainObjects } from '../../../src/workspaces/git/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const object = 'a'.repeat(38);
const other = 'b'.repeat(38);

function make(): { readonly commonDir: string; readonly objects: string; readonly elsewhere: string } {
  const commonDir = temporaryFolder();
  const elsewhere = temporaryFolder();
  const objects = join(commonDir, 'objects');
  mkdirSync(objects);
  for (const name of [object, other, 'no-object']) writeFileSync(join(elsewhere, name), name);
  return { commonDir, objects, elsewhere };
}

test('objects that were written to where a link leads are brought back, and nothing else', async () => {
  const { commonDir, objects, elsewhere } = make();
  symlinkSync(elsewhere, join(objects, 'ab'));
  // What somebody who was killed had copied of them.
  mkdirSync(join(objects, 'ab.plain'));
  writeFileSync(join(objects, 'ab.plain', object), '');
  symlinkSync(elsewhere, join(objects, 'pack'));
  await keepPlainObjects({ commonDir });
  expect(readdirSync(objects).sort()).toEqual(['ab', 'pack']);
  expect(lstatSync(join(objects, 'ab')).isDirectory()).toBe(true);
  expect(readdirSync(join(objects, 'ab')).sort()).toEqual([object, other]);
  expect(lstatSync(join(objects, 'ab', object)).size).toBe(object.length);
  expect(existsSync(join(elsewhere, 'no-object'))).toBe(true);
});

test('what was brought back by somebody who was killed before it was in its place is found', async () => {
  const { commonDir, objects } = make();
  mkdirSync(join(objects, 'ab.plain'));
  writeFileSync(join(objects, 'ab.plain', object), object);
  await keepPlainObjects({ commonDir });
  expect(readdirSync(join(objects, 'ab'))).toEqual([object]);
});

test('of a record, links go, and what they lead to stays', async () => {
  const { commonDir: record, elsewhere } = make();
  writeFileSync(join(record, 'HEAD'), 'x');
  symlinkSync(join(elsewhere, object), join(record, 'index'));
  symlinkSync(elsewhere, join(record, 'logs'));
  mkdirSync(join(record, 'modules'));
  symlinkSync(elsewhere, join(record, 'modules', 'x'));
  await keepPlain(record);
  expect(readdirSync(record).sort()).toEqual(['HEAD', 'modules', 'objects']);
  expect(readdirSync(join(record, 'modules'))).toEqual(['x']);
  expect(readdirSync(elsewhere)).toHaveLength(3);
});
