import { expect, test } from 'vitest';
import { others, type Choice } from '../../support/kill.ts';
import { killItsGit, killMerges } from './merge-kills.ts';

const all: Choice = (places) => places;

test.for([
  { strategy: 'ff-only', choose: all },
  { strategy: 'merge', choose: others(2) },
  { strategy: 'squash', choose: all },
] as const)(
  'killed between any two of its effects and called again, it has merged once ($strategy)',
  async ({ strategy, choose }) => {
    expect(await killMerges(strategy, choose)).toBeGreaterThan(1);
  },
);

test('with its git killed in the middle, it is finished by calling it again', async () => {
  expect(await killItsGit(['0', '0.004', '0.006'])).toBe(3);
});
