import { describe, expect, test } from 'vitest';
import {
  brokenAfter,
  killAt,
  killInTask,
  oneOfEach,
  placesPassed,
  subfolder,
  untouchedIn,
} from '../support/kill.ts';
import { brokenByAnyPolicy } from '../support/promises.ts';
import type { ShapeName } from '../support/shapes.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const shapes: readonly ShapeName[] = [
  'chain',
  'diamond',
  'wide fan-out',
  'for-each',
  'retry',
  'skip',
  'cycle',
  'nested chain and parallel',
  'child workflow',
  'pause',
  'cancel',
];

async function killsAtEveryCommit(shape: ShapeName, untouched: string) {
  const places = oneOfEach(await placesPassed({ shape, folders: [untouched] }));
  return places.map((name) => ({
    name,
    strike: (folder: string) => killAt(name, { shape, folders: [folder] }),
  }));
}

describe('a process killed before and after each of its commits', () => {
  test.for(shapes)(
    '%s: the run ends as if nothing had happened, and what had settled does not run again',
    async (shape) => {
      const root = temporaryFolder();
      const folder = subfolder(root, 'untouched');
      const kills = await killsAtEveryCommit(shape, folder);

      const broken = await brokenAfter(kills, { shape, root, untouched: await untouchedIn(folder) });

      expect(broken).toEqual([]);
    },
  );
});

describe('a process killed at each commit and in each task, with fewer checkpoints', () => {
  test.for(['checkpoint every 3', 'checkpoint manual', 'checkpoint off'] as const)(
    '%s: steps may be repeated, but none that the journal shows as settled, and the run ends the same',
    async (shape) => {
      const root = temporaryFolder();
      const folder = subfolder(root, 'untouched');
      const kills = await killsAtEveryCommit(shape, folder);
      const untouched = await untouchedIn(folder);
      const inTasks = untouched.sight.executed.map((_, index) => ({
        name: `in task ${index + 1}`,
        strike: (place: string) => killInTask(index + 1, { shape, folders: [place] }),
      }));

      const broken = await brokenAfter([...kills, ...inTasks], {
        shape,
        root,
        untouched,
        judge: brokenByAnyPolicy,
      });

      expect(broken).toEqual([]);
    },
  );
});
