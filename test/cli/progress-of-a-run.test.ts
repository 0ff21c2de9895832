import { WatchedRun } from '../../src/views/index.ts';
import { expect, test } from 'vitest';
import { workflow as define } from '../../src/index.ts';
import { openPiton } from '../support/open-piton.ts';

test('the view counts as the run itself does, for items and nested workflows too', async () => {
  const child = define('child')
    .task('x', () => 1)
    .task('y', { needs: ['x'] }, () => 2);
  const parent = define('parent')
    .task('list', () => ['p', 'q', 'r'])
    .task('each', { needs: ['list'], forEach: { in: ({ needs }) => needs.list } }, () => 'done')
    .task('nested', { needs: ['each'] }, child);
  const piton = await openPiton();
  const run = await piton.start(parent);
  const view = new WatchedRun(run.id);
  for await (const event of run.events()) view.add(event);
  const leaves = ['list', 'each[p]', 'each[q]', 'each[r]', 'nested.x', 'nested.y'];
  expect([...view.tasks()].filter(({ isGroup }) => !isGroup).map(({ address }) => address)).toEqual(leaves);
  expect(view.counts).toMatchObject({ succeeded: 6, settled: 6, total: 6, running: 0 });
  expect(Object.keys((await run.checkpoint()).tasks).sort()).toEqual(
    [...view.tasks()].map(({ address }) => address).sort(),
  );
  expect(view.status).toBe('succeeded');
});
