import { expect, test } from 'vitest';
import { killBringing } from './module-kills.ts';

test('killed once a commit of a submodule was brought to the user, and done again, it is there', async () => {
  expect(await killBringing('integrated', 'these')).toBe(1);
});
