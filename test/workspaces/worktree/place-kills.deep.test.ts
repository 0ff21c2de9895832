import { expect, test } from 'vitest';
import { others } from '../../support/kill.ts';
import { killLives } from './place-kills.ts';

test('places prepared, taken over, saved, lost, discarded and cleaned end the same, killed after each other kind of effect', async () => {
  expect(await killLives(others(4))).toBeGreaterThan(10);
});
