import { expect, test } from 'vitest';
import { some } from '../../support/kill.ts';
import { killItsGit, killMerges } from './merge-kills.ts';

test('killed between two of its effects and called again, it has merged once', async () => {
  expect(await killMerges('merge', some(2))).toBe(2);
});

test('with its git killed in the middle, it is finished by calling it again', async () => {
  expect(await killItsGit(['0.002'])).toBe(1);
});
