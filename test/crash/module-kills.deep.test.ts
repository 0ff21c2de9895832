import { expect, test } from 'vitest';
import { killBringing } from './module-kills.ts';

test.for(['integrated', 'merged'] as const)(
  'killed elsewhere while a commit of a submodule is brought to the user, and done again, it is there: %s',
  async (how) => {
    expect(await killBringing(how, 'others')).toBeGreaterThan(1);
  },
);

test('killed once a commit of a submodule was brought to the user by a merge, and done again, it is there', async () => {
  expect(await killBringing('merged', 'these')).toBe(1);
});
