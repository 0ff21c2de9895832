import { expect, test } from 'vitest';
import { overlap } from './overlapping-agents.ts';

test('eight agents that write into the same lines of the same files at once: what each wrote is in the branch of the run, or in a hold that names the conflict', async () => {
  // Of 1 and 13, and of 3 and 15, one is held, whoever comes first: they want the same line, and no agent is asked.
  const { held, merged } = await overlap([1, 2, 3, 4, 5, 7, 13, 15]);
  expect(held).toBeGreaterThan(1);
  expect(merged).toBeGreaterThan(3);
});
