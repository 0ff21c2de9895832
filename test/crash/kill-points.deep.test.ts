import { describe, expect, test } from 'vitest';
import { executionsOf } from '../support/commands.ts';
import {
  everyCommit,
  expectMirrored,
  fewerCheckpoints,
  killed,
  mirrored,
  mixed,
  synced,
} from './kill-points.ts';

/** Many processes, one after the other: a busy machine takes its time. */
describe('a process killed before and after each of its other commits', () => {
  test.for(everyCommit)(
    '%s: the run ends as if nothing had happened, and what had settled does not run again',
    async ([shape, points]) => {
      expect((await killed({ shape }, points, 'others')).broken).toEqual([]);
    },
  );
});

describe('a process killed at each other commit and in each other task, with fewer checkpoints', () => {
  test.for(fewerCheckpoints)(
    '%s: steps may be repeated, but none that the journal shows as settled, and the run ends the same',
    async ([shape, points]) => {
      expect((await killed({ shape }, points, 'others')).broken).toEqual([]);
    },
  );
});

describe('a process killed with every checkpoint policy', () => {
  test.for(mixed)(
    '%s: the run ends the same, functions may be repeated, and each command has run once',
    async ([shape, points]) => {
      const { broken, folders } = await killed({ shape }, points, 'others');
      expect(broken).toEqual([]);
      for (const folder of folders) expect(executionsOf(folder)).toEqual({ three: 1, eight: 1 });
    },
  );
});

test('a mirrored run that is killed anywhere ends the same, and its mirror shows every commit', async () => {
  const { broken, folders } = await killed(...mirrored, 'others');
  expect(broken).toEqual([]);
  for (const folder of folders) await expectMirrored(folder);
});

test('a run whose commits are synced, killed anywhere, ends as if nothing had happened', async () => {
  expect((await killed(...synced, 'others')).broken).toEqual([]);
});
