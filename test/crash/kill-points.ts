/** Runs that are killed at some points or at all others, and are to end as if nothing had happened. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import {
  brokenAfter,
  driving,
  killAt,
  killInTask,
  oneOfEach,
  pointsPassed,
  subfolder,
  untouchedIn,
  type Kill,
  type SamePoints,
  type Which,
} from '../support/kill.ts';
import type { DriveOrders } from '../support/programs/drive-runs.ts';
import { brokenByAnyPolicy, brokenPromises } from '../support/promises.ts';
import type { ShapeName } from '../support/shapes.ts';
import { lookAt } from '../support/sight.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Way = Pick<DriveOrders, 'shape' | 'mirrored' | 'durability'>;

interface Points {
  readonly at: readonly string[];
  /** In the n-th task that runs. Only given with fewer checkpoints: then steps may be repeated that have not settled. */
  readonly inTasks?: readonly number[];
}

/** Where `npm test` kills: at each kind of commit, in a shape that has it. */
export const everyCommit: readonly (readonly [ShapeName, Points])[] = [
  [
    'chain',
    {
      at: ['store:before-commit#1', 'store:after-commit#1', 'store:before-commit#2', 'after:run.succeeded#1'],
    },
  ],
  ['diamond', { at: ['after:task.succeeded#2'] }],
  ['wide fan-out', { at: ['before:task.succeeded#10'] }],
  ['for-each', { at: ['after:tasks.expanded#1', 'before:task.succeeded#5'] }],
  ['retry', { at: ['after:task.delayed#1', 'before:attempt.started#3'] }],
  ['skip', { at: ['after:task.skipped#1', 'before:task.failed#1'] }],
  ['cycle', { at: ['after:edge.taken#4', 'before:state.updated#3'] }],
  ['nested chain and parallel', { at: ['after:scope.opened#6'] }],
  ['child workflow', { at: ['after:scope.opened#1', 'before:task.succeeded#4'] }],
  ['pause', { at: ['store:after-commit#3', 'after:run.paused#1', 'before:run.resumed#1'] }],
  ['cancel', { at: ['store:after-commit#3', 'after:cancel.requested#1', 'before:run.cancelled#1'] }],
  [
    'questions',
    {
      at: [
        'before:gate.opened#1',
        'after:gate.opened#1',
        'before:gate.decided#1',
        'after:gate.opened#2',
        'after:gate.decided#2',
        'after:gate.opened#3',
        'before:gate.decided#3',
        'after:gate.decided#3',
      ],
    },
  ],
  ['dropped payloads', { at: ['store:before-commit#4', 'store:after-commit#4'] }],
];

export const fewerCheckpoints: readonly (readonly [ShapeName, Points])[] = [
  ['checkpoint every 3', { at: ['before:task.succeeded#4'], inTasks: [6] }],
  ['checkpoint manual', { at: ['after:task.succeeded#1'], inTasks: [3] }],
  ['checkpoint off', { at: ['before:run.succeeded#1'], inTasks: [7] }],
];

/** With every policy. */
export const mixed: readonly (readonly [ShapeName, Points])[] = [
  ['mixed, every task', { at: ['after:task.succeeded#3'], inTasks: [3] }],
  ['mixed, every 3', { at: ['before:attempt.started#4'], inTasks: [4] }],
  ['mixed, every 2ms', { at: ['after:gate.opened#1'], inTasks: [5] }],
  ['mixed, on gates', { at: ['before:gate.decided#1', 'after:gate.decided#1'], inTasks: [2] }],
  ['mixed, manual', { at: ['after:attempt.spawned#1', 'before:run.succeeded#1'], inTasks: [3] }],
  ['mixed, off', { at: ['before:attempt.spawned#2', 'after:run.created#1'], inTasks: [6] }],
];

export const mirrored: readonly [Way, Points] = [
  { shape: 'diamond', mirrored: true },
  { at: ['store:after-commit#2', 'before:run.succeeded#1'] },
];

/** Where every commit is synced, the log is made longer than it has to be. */
export const synced: readonly [Way, Points] = [
  { shape: 'chain', durability: 'full' },
  { at: ['store:log-grown#1', 'store:before-commit#3', 'store:after-commit#3'] },
];

/** Promises that were not kept, and the folders of the runs that were killed. */
interface Findings {
  readonly broken: readonly string[];
  readonly folders: readonly string[];
}

export async function killed(way: Way, points: Points, which: Which): Promise<Findings> {
  const root = temporaryFolder();
  const folder = subfolder(root, 'untouched');
  const passed = await pointsPassed(driving({ ...way, folders: [folder] }));
  const untouched = await untouchedIn(folder);
  const chosen = which === 'these' ? points : othersThan(points, passed, untouched.sight.executed.length);
  const kills = killsAt(chosen, way);
  const judge = points.inTasks === undefined ? brokenPromises : brokenByAnyPolicy;
  const broken = await brokenAfter(kills, { ...way, root, untouched, judge });
  return { broken, folders: kills.map((_, index) => join(root, String(index))) };
}

/** Before and after each commit. */
function othersThan({ at, inTasks }: Points, passed: readonly SamePoints[], tasks: number): Points {
  const others = oneOfEach(passed, at);
  return {
    at: others.length > manyPlaces ? everyThird(others) : others,
    ...(inTasks !== undefined && { inTasks: numbersTo(tasks).filter((task) => !inTasks.includes(task)) }),
  };
}

function numbersTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}

/** Only what many items do that are all alike passes so many. */
const manyPlaces = 30;

/** An odd number, so that before a commit and after one take turns; and the last. */
function everyThird(points: readonly string[]): string[] {
  return points.filter((_, index) => index % 3 === 0 || index === points.length - 1);
}

export function killsAt({ at, inTasks = [] }: Points, way: Way): Kill[] {
  const atPlaces = at.map((name) => ({
    name,
    strike: (folder: string) => killAt(name, driving({ ...way, folders: [folder] })),
  }));
  const insideTasks = inTasks.map((count) => ({
    name: `in task ${count}`,
    strike: (folder: string) => killInTask(count, { ...way, folders: [folder] }),
  }));
  return [...atPlaces, ...insideTasks];
}

/** Every commit of the journal is in the mirror. */
export async function expectMirrored(folder: string): Promise<void> {
  const mirror = gunzipSync(readFileSync(join(folder, 'mirror', 'run', 'journal.jsonl.gz')));
  const { journal } = await lookAt(folder);
  expect(mirror.toString().trimEnd().split('\n')).toHaveLength(journal.at(-1)!.seq);
}
