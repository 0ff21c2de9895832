import { expect, test } from 'vitest';
import { some } from '../../support/kill.ts';
import { killLives } from './place-kills.ts';

test('places prepared, taken over, saved, lost, discarded and cleaned end the same, killed after some of their effects', async () => {
  expect(await killLives(some(4))).toBe(4);
});
