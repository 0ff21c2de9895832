import { expect, test } from 'vitest';
import { harmDoneByKills } from './agent-kills.ts';

test('a driver of agents killed around each kind of commit and effect: agents are not disturbed, and nothing they say is lost or told twice', async () => {
  expect(await harmDoneByKills('these')).toEqual([]);
});
