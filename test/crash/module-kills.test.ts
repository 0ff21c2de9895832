import { expect, test } from 'vitest';
import { killBringing } from './module-kills.ts';

test.for(['integrated', 'merged'] as const)(
  'killed once a commit of a submodule was brought to the user, and done again, it is there: %s',
  async (how) => {
    expect(await killBringing(how, 'these')).toBe(1);
  },
);
