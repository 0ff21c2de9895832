import { expect, test } from 'vitest';
import { harmDoneAtRandom, harmDoneByKills } from './command-kills.ts';

test('a driver of commands killed before and after every other commit and effect: each command runs exactly once, and the run ends as if nothing had happened', async () => {
  expect(await harmDoneByKills('others')).toEqual([]);
});

test('thirty random kills of the driver during one run of forty commands: each ran exactly once, and no process is left', async () => {
  expect(await harmDoneAtRandom({ kills: 30, commands: 40 })).toEqual([]);
});
