import { expect, test } from 'vitest';
import { harmOfKill, otherKills } from './fork-kills.ts';

test.for(otherKills)('whoever forks a run is killed at %s: there is a whole fork, or none', async (kill) => {
  expect(await harmOfKill(kill)).toEqual([]);
});
