import { expect, test } from 'vitest';
import { others } from '../support/kill.ts';
import { killElsewhere, killMirrors } from './remote-kills.ts';

test('killed after each other effect on another machine, the life of a place ends as if nothing had happened', async () => {
  expect(await killElsewhere(others(2))).toBeGreaterThan(4);
});

test('killed while what was made there again is laid out here, it is brought in all the same', async () => {
  expect(await killMirrors()).toBe(4);
});
