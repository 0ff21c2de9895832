import { expect, test } from 'vitest';
import { brokenByStorms } from './random-kills.ts';

test('runs of forty tasks, killed 25 times at random moments, end right, and no task settles twice', async () => {
  expect(await brokenByStorms(25)).toEqual([]);
});
