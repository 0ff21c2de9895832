/** Whoever removes a run that has succeeded is killed: what it did is not done again while the run is there, and it goes in the end. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { open, workflow } from '../../src/index.ts';
import { executionsOf } from '../support/commands.ts';
import { driving, drive, killAt, oneOfEach, pointsPassed, subfolder, twoAtATime } from '../support/kill.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const shape = 'removed on success';

/** From the end of the run on. */
async function pointsOfRemoval(folder: string): Promise<string[]> {
  const passed = await pointsPassed(driving({ shape, folders: [folder] }));
  const end = passed.findIndex((same) => same.includes('before:run.succeeded#1'));
  return oneOfEach(passed.slice(end));
}

test('killed anywhere between the end of a run and its removal', async () => {
  const root = temporaryFolder();
  const points = await pointsOfRemoval(subfolder(root, 'untouched'));
  expect(points).toEqual(
    expect.arrayContaining([
      expect.stringContaining('spool.pruning-noted'),
      expect.stringContaining('spool.pruned-removed'),
    ]),
  );
  await twoAtATime(points, async (point) => {
    const folder = subfolder(root, point.replaceAll(/[^a-z0-9]/g, '-'));
    await killAt(point, driving({ shape, folders: [folder] }));
    const before = executionsOf(folder);
    const isThere = (await runsIn(folder)).length > 0;
    const { lines } = await drive({ shape, folders: [folder] }).ended();
    const found = {
      point,
      before,
      end: lines.at(-1),
      after: executionsOf(folder),
      ...(await nextIn(folder)),
    };
    expect(found).toEqual({
      point,
      before: { two: 1 },
      end: 'ended succeeded',
      // Of a run that is gone, nobody knows that it was there: its id is that of a new one.
      after: { two: isThere ? 1 : 2 },
      damaged: [],
      status: 'succeeded',
      left: [],
    });
  });
});

/** Another run of the workflow removes what is left. */
async function nextIn(folder: string): Promise<object> {
  await using piton = await open({ store: storeIn(folder), durability: 'process' });
  const damaged = (await piton.verify()).filter(({ ok }) => !ok);
  const next = workflow('removed', { checkpoint: { preserve: 'remove-on-success' } }).task('a', () => 1);
  const { status } = await (await piton.start(next)).result();
  return { damaged, status, left: [...(await piton.runs()), ...(await piton.verify())] };
}

function storeIn(folder: string): string {
  return `sqlite:${join(folder, 'piton.db')}`;
}

async function runsIn(folder: string): Promise<readonly unknown[]> {
  await using piton = await open({ store: storeIn(folder), durability: 'process' });
  return await piton.runs();
}
