import { describe, expect, test } from 'vitest';
import { executionsOf } from '../support/commands.ts';
import { brokenAfter, driving, pointsPassed, subfolder, untouchedIn } from '../support/kill.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  everyCommit,
  expectMirrored,
  fewerCheckpoints,
  killed,
  killsAt,
  mirrored,
  mixed,
  synced,
} from './kill-points.ts';

describe('a process killed before or after a commit of each kind', () => {
  test.for(everyCommit)(
    '%s: the run ends as if nothing had happened, and what had settled does not run again',
    async ([shape, points]) => {
      expect((await killed({ shape }, points, 'these')).broken).toEqual([]);
    },
  );
});

describe('a process killed at a commit and in a task, with fewer checkpoints', () => {
  test.for(fewerCheckpoints)(
    '%s: steps may be repeated, but none that the journal shows as settled, and the run ends the same',
    async ([shape, points]) => {
      expect((await killed({ shape }, points, 'these')).broken).toEqual([]);
    },
  );
});

test('a run killed while a snapshot is saved, or right after, ends as if nothing had happened', async () => {
  const way = { shape: 'more than a thousand steps' } as const;
  const root = temporaryFolder();
  const folder = subfolder(root, 'untouched');
  const points = await pointsPassed(driving({ ...way, folders: [folder] }));
  const saved = points.findIndex((same) => same.includes('after:snapshot#1'));
  // The last one is of its very end, and may be made anew.
  const last = points.flat().findLast((point) => point.startsWith('after:snapshot#'))!;
  expect(last).not.toBe('after:snapshot#1');
  const kills = killsAt({ at: [points[saved - 1]!.at(-1)!, 'after:snapshot#1', last] }, way);

  const broken = await brokenAfter(kills, { ...way, root, untouched: await untouchedIn(folder) });

  expect(broken).toEqual([]);
});

describe('a process killed with every checkpoint policy', () => {
  test.for(mixed)(
    '%s: the run ends the same, functions may be repeated, and each command has run once',
    async ([shape, points]) => {
      const { broken, folders } = await killed({ shape }, points, 'these');
      expect(broken).toEqual([]);
      for (const folder of folders) expect(executionsOf(folder)).toEqual({ three: 1, eight: 1 });
    },
  );
});

test('a mirrored run that is killed ends the same, and its mirror shows every commit', async () => {
  const { broken, folders } = await killed(...mirrored, 'these');
  expect(broken).toEqual([]);
  for (const folder of folders) await expectMirrored(folder);
});

test('a run whose commits are synced, killed when its log was made longer, ends as if nothing had happened', async () => {
  expect((await killed(...synced, 'these')).broken).toEqual([]);
});
