import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  brokenAfter,
  driving,
  killAt,
  killInTask,
  oneOfEach,
  placesPassed,
  subfolder,
  untouchedIn,
  type Kill,
} from '../support/kill.ts';
import { brokenByAnyPolicy } from '../support/promises.ts';
import type { DriveOrders } from '../support/programs/drive-runs.ts';
import type { ShapeName } from '../support/shapes.ts';
import { lookAt } from '../support/sight.ts';
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
  'dropped payloads',
];

type Way = Pick<DriveOrders, 'shape' | 'mirrored'>;

function killsAt(places: readonly string[], way: Way): Kill[] {
  return places.map((name) => ({
    name,
    strike: (folder) => killAt(name, driving({ ...way, folders: [folder] })),
  }));
}

async function killsAtEveryCommit(way: Way, untouched: string): Promise<Kill[]> {
  const places = oneOfEach(await placesPassed(driving({ ...way, folders: [untouched] })));
  return killsAt(places.length > manyPlaces ? everyThird(places) : places, way);
}

/** Only what many items do that are all alike passes so many. */
const manyPlaces = 30;

/** An odd number, so that before a commit and after one take turns; and the last. */
function everyThird(places: readonly string[]): string[] {
  return places.filter((_, index) => index % 3 === 0 || index === places.length - 1);
}

/** Many processes, one after the other: a busy machine takes its time. */
describe('a process killed before and after each of its commits', () => {
  test.for(shapes)(
    '%s: the run ends as if nothing had happened, and what had settled does not run again',
    async (shape) => {
      const root = temporaryFolder();
      const folder = subfolder(root, 'untouched');
      const kills = await killsAtEveryCommit({ shape }, folder);

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
      const kills = await killsAtEveryCommit({ shape }, folder);
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

test('a run killed while a snapshot is saved, or right after, ends as if nothing had happened', async () => {
  const shape = 'more than a thousand steps';
  const root = temporaryFolder();
  const folder = subfolder(root, 'untouched');
  const places = await placesPassed(driving({ shape, folders: [folder] }));
  const saved = places.findIndex((same) => same.includes('after:snapshot#1'));
  const kills = killsAt(places.slice(saved - 1, saved + 1).flat(), { shape });

  const broken = await brokenAfter(kills, { shape, root, untouched: await untouchedIn(folder) });

  expect(broken).toEqual([]);
});

test('a mirrored run that is killed anywhere ends the same, and its mirror shows every commit', async () => {
  const way = { shape: 'diamond', mirrored: true } as const;
  const root = temporaryFolder();
  const folder = subfolder(root, 'untouched');
  const kills = await killsAtEveryCommit(way, folder);

  const broken = await brokenAfter(kills, { ...way, root, untouched: await untouchedIn(folder) });

  expect(broken).toEqual([]);
  for (const index of kills.keys()) {
    const mirror = gunzipSync(readFileSync(join(root, String(index), 'mirror', 'run', 'journal.jsonl.gz')));
    const { journal } = await lookAt(join(root, String(index)));
    expect(mirror.toString().trimEnd().split('\n')).toHaveLength(journal.at(-1)!.seq);
  }
});
