import { expect, test } from 'vitest';
import { overlap } from './overlapping-agents.ts';

test('twenty agents that write into the same lines of the same files at once: what each wrote is in the branch of the run, or in a hold that names the conflict', async () => {
  const { held, merged } = await overlap(Array.from({ length: 20 }, (_, index) => index));
  expect(held).toBeGreaterThan(1);
  expect(merged).toBeGreaterThan(5);
});
