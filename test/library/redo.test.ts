/** Finished work runs again only if the caller says so; and a caller may say that work was done. */
import { expect, test } from 'vitest';
import { open, workflow, type Piton } from '../../src/index.ts';

function flowOf(ran: string[]) {
  return workflow('flow')
    .task('build', () => void ran.push('build'))
    .task('deploy', { needs: ['build'] }, () => {
      ran.push('deploy');
      if (ran.length < 3) throw new Error('the connection was closed');
    })
    .task('clean', { needs: ['deploy'], if: 'always' }, () => void ran.push('clean'))
    .task('tell', { needs: ['deploy'] }, ({ needs }) => void ran.push(`tell ${String(needs.deploy)}`));
}

async function failed(piton: Piton, ran: string[]) {
  const flow = flowOf(ran);
  const run = await piton.start(flow, { id: 'r' });
  expect(await run.result()).toMatchObject({ status: 'failed' });
  expect(ran).toEqual(['build', 'deploy', 'clean']);
  return { flow, run };
}

test('redo is refused where something that has succeeded would run again, and says what', async () => {
  await using piton = await open({ store: 'memory:' });
  const ran: string[] = [];
  const { flow } = await failed(piton, ran);
  for (const given of [
    { redo: ['deploy'] },
    { skip: ['deploy'] },
    { done: [{ task: 'deploy', comment: 'seen' }] },
  ])
    await expect(piton.resume(flow, 'r', given)).rejects.toMatchObject({
      code: 'REDO_REFUSED',
      details: { unconfirmed: ['clean'] },
    });
  const preview = await piton.previewRedo('r', { redo: ['deploy'] });
  expect(preview.tasks).toMatchObject([
    { task: 'deploy', status: 'failed', hasSucceeded: false, hasRun: true },
    { task: 'clean', status: 'succeeded', hasSucceeded: true },
    { task: 'tell', status: 'skipped', hasSucceeded: false, hasRun: false },
  ]);
  const again = await piton.resume(flow, 'r', {
    redo: ['deploy'],
    rerunSucceeded: ['clean'],
    seen: preview.version,
  });
  expect(await again.result()).toMatchObject({ status: 'succeeded' });
  expect(ran.slice(3, 4)).toEqual(['deploy']);
  await expect(
    piton.resume(flow, 'r', { redo: ['deploy'], rerunSucceeded: true, seen: preview.version }),
  ).rejects.toMatchObject({ code: 'REDO_REFUSED', message: expect.stringContaining('has gone on since') });
});

test('a failed task whose work was done counts as succeeded, with the output that is given', async () => {
  await using piton = await open({ store: 'memory:' });
  const ran: string[] = [];
  const { flow } = await failed(piton, ran);
  const done = [{ task: 'deploy', comment: 'the site shows it', output: '1.4' }];
  const run = await piton.resume(flow, 'r', { done, rerunSucceeded: ['clean'] });
  expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { deploy: '1.4' } });
  expect(ran.slice(3).sort()).toEqual(['clean', 'tell 1.4']);
  const events = await Array.fromAsync(run.history());
  expect(events.find(({ type }) => type === 'work.confirmed')).toMatchObject({
    task: 'deploy',
    data: { comment: 'the site shows it', by: { pid: process.pid } },
  });
});

test('the driver of a run that goes on takes it too, once', async () => {
  await using piton = await open({ store: 'memory:' });
  const waiting = Promise.withResolvers<void>();
  const flow = workflow('flow', { failFast: false })
    .task('deploy', () => {
      throw new Error('the connection was closed');
    })
    .task('other', () => waiting.promise);
  const run = await piton.start(flow, { id: 'r' });
  await expect.poll(async () => (await run.checkpoint()).tasks['deploy']?.status).toBe('failed');
  expect(await run.done('deploy', '')).toMatchObject({
    status: 'refused',
    text: 'say why it counts as done',
  });
  expect(await run.done('deploy', 'seen', { output: { url: 'u' } })).toMatchObject({ status: 'accepted' });
  expect(await run.done('deploy', 'seen')).toMatchObject({ status: 'refused' });
  expect(await run.retry('deploy')).toMatchObject({
    status: 'refused',
    text: expect.stringContaining('--redo'),
  });
  waiting.resolve();
  expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { deploy: { url: 'u' } } });
});
