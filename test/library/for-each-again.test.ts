import { expect, test } from 'vitest';
import { doAgain } from './for-each-again.ts';

test('a for-each that is done again as a whole begins from scratch what has failed in a pool, and does not bring in what was made then', async () => {
  expect(await doAgain({ pool: 1 })).toBe('x');
});
