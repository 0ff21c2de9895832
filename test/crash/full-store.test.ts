import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { open, workflow, type Definition, type Observation, type Piton } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { leaveTrace, tasksRunIn } from '../support/executions.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const quota = 1_000_000;

interface Opened {
  readonly piton: Piton;
  readonly seen: Observation[];
}

async function openWithQuota(folder: string, maxBytes: number): Promise<Opened> {
  const seen: Observation[] = [];
  const store = `sqlite:${join(folder, 'piton.db')}?max-bytes=${maxBytes}`;
  const piton = await open({ store, observers: [(observation) => seen.push(observation)] });
  onTestFinished(() => piton.close());
  return { piton, seen };
}

/** Its second task gives back more than the quota leaves room for beside another such run. */
function bulky(folder: string): Definition<object, { size: number }> {
  return workflow('bulky')
    .task('small', (context) => leaveTrace(folder, context))
    .task('big', { needs: ['small'] }, (context) => {
      leaveTrace(folder, context);
      return randomBytes(300_000).toString('hex');
    })
    .task('last', { needs: ['big'] }, ({ needs, ...context }) => {
      leaveTrace(folder, context);
      return needs.big.length;
    })
    .outputs(({ last }) => ({ size: last }));
}

async function untilStalled({ seen }: Opened): Promise<void> {
  await eventually('the run is stalled', () => seen.some(({ type }) => type === 'run.stalled'));
}

/** A store in which an old run leaves too little room for the new one, which has come to a standstill. */
async function stalledRun(folder: string) {
  const opened = await openWithQuota(folder, quota);
  const old = temporaryFolder();
  await (await opened.piton.start(bulky(old), { id: 'old' })).result();
  const run = await opened.piton.start(bulky(folder), { id: 'new' });
  await untilStalled(opened);
  return { ...opened, run };
}

test('a result for which there is no room is kept, with the run stalled, and written when there is room again', async () => {
  const folder = temporaryFolder();
  const { piton, run } = await stalledRun(folder);

  expect(await run.status()).toBe('stalled');
  expect(await run.progress()).toMatchObject({ done: 1 });
  await piton.prune({ runs: ['old'] });

  expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { size: 600_000 } });
  expect(tasksRunIn(folder)).toEqual(['small', 'big', 'last']);
  expect(await piton.verify('new')).toMatchObject([{ ok: true }]);
});

test('a stalled run can be left and resumed with a higher quota: only what could not be written is done again', async () => {
  const folder = temporaryFolder();
  const { piton } = await stalledRun(folder);

  await piton.close();
  const { piton: roomy } = await openWithQuota(folder, 10 * quota);
  const run = await roomy.resume(bulky(folder), 'new');

  expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { size: 600_000 } });
  expect(tasksRunIn(folder)).toEqual(['small', 'big', 'big', 'last']);
});
