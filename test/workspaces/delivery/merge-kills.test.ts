import { expect, test } from 'vitest';
import { some } from '../../support/kill.ts';
import { killItsGit, killMerges, killResumed } from './merge-kills.ts';

test('killed between two of its effects and called again, it has merged once', async () => {
  expect(await killMerges('merge', some(2))).toBe(2);
});

test('with its git killed in the middle, it is finished by calling it again', async () => {
  expect(await killItsGit(['0.002'])).toBe(1);
});

test.for(['before:git.files-staged', 'after:git.files-staged'])(
  'with its git killed in the middle, and killed again at %s, it is finished by calling it a third time',
  async (place) => {
    await expect(killResumed(place)).resolves.toBeUndefined();
  },
);
