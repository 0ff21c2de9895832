import { expect, test } from 'vitest';
import { some } from '../support/kill.ts';
import { killElsewhere } from './remote-kills.ts';

test('killed after some effects on another machine, the life of a place ends as if nothing had happened', async () => {
  expect(await killElsewhere(some(2))).toBe(2);
});
