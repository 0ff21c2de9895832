import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// `Date.now` and `performance.now` are refused by the linter, which cannot tell this one from a date that is given.
test('nothing of ours asks for the date but through a clock', () => {
  const files = globSync('src/**/*.ts').filter((file) => file !== 'src/base/clock.ts');
  expect(files.filter((file) => /new Date\(\)/.test(readFileSync(file, 'utf8')))).toEqual([]);
});
