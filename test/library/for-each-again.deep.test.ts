import { expect, test } from 'vitest';
import { doAgain } from './for-each-again.ts';

test('a for-each that is done again as a whole begins from scratch what has failed in places of their own, and does not bring in what was made then', async () => {
  expect(await doAgain({})).toBe('x');
});
