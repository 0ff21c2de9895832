import { expect, test } from 'vitest';
import { open, stateGraph, workflow } from '../../src/index.ts';
import { findWrongForks, forkedShapes } from './fork.ts';

test('a fork at each of a hundred checkpoints of thirteen shapes ends as the original did, and runs nothing twice', async () => {
  const found = await Promise.all(forkedShapes.map((shape) => findWrongForks(shape, 70)));
  expect(found.flatMap(({ wrong }) => wrong)).toEqual([]);
  expect(found.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThanOrEqual(100);
});

test('two that fork the same run at once get two forks', async () => {
  await using piton = await open({ store: 'memory:' });
  const definition = workflow('flow').task('one', () => 1);
  await (await piton.start(definition, { id: 'v1' })).result();
  const forks = await Promise.all([1, 2, 3].map(() => piton.fork(definition, 'v1')));
  expect(forks.map(({ id }) => id).toSorted()).toEqual(['v1-2', 'v1-3', 'v1-4']);
});

test('a function names the checkpoint that it has reached, and a fork goes on from there', async () => {
  await using piton = await open({ store: 'memory:' });
  const ran: string[] = [];
  const definition = workflow('flow')
    .task('first', () => void ran.push('first'))
    .task('second', { needs: ['first'] }, async ({ checkpoint }) => {
      await checkpoint('reached');
      ran.push('second');
    });
  const run = await piton.start(definition, { id: 'v1' });
  await run.result();
  expect((await run.checkpoint('reached')).tasks).toMatchObject({ second: { status: 'running' } });
  await (await piton.fork(definition, 'v1@reached')).result();
  expect(ran).toEqual(['first', 'second', 'second']);
  await expect(piton.fork(definition, 'v1@reachd')).rejects.toMatchObject({ code: 'CHECKPOINT_NOT_FOUND' });
});

test('values that were dropped after success cannot be gone back to, and the refusal says so', async () => {
  await using piton = await open({ store: 'memory:' });
  const definition = workflow('flow', { checkpoint: { preserve: false } })
    .task('big', () => 'x'.repeat(20_000))
    .task('size', { needs: ['big'] }, ({ needs }) => needs.big.length);
  await (await piton.start(definition, { id: 'v1' })).result();
  await expect(piton.fork(definition, 'v1@before:size')).rejects.toMatchObject({ code: 'CHECKPOINT_PRUNED' });
  expect(await piton.runs()).toHaveLength(1);
});

test('the state of a graph can be another in a fork, from any visit on', async () => {
  await using piton = await open({ store: 'memory:' });
  const definition = stateGraph<{ draft: string; rounds: number }>('cycle', {
    state: { draft: '', rounds: 0 },
  })
    .node('write', (state) => ({ draft: `${state.draft}x`, rounds: state.rounds + 1 }))
    .edge('write', 'end', (state) => state.rounds >= 4)
    .edge('write', 'write');
  await (await piton.start(definition, { id: 'v1' })).result();
  const fork = await piton.fork(definition, 'v1@before:write#3', { state: { draft: 'other ' } });
  expect(await fork.result()).toMatchObject({ state: { draft: 'other xx', rounds: 4 } });
});

test('resume from a task gives another run, which says whose place it takes', async () => {
  await using piton = await open({ store: 'memory:' });
  const definition = workflow('flow')
    .task('one', () => 1)
    .task('two', { needs: ['one'] }, () => 2);
  await (await piton.start(definition, { id: 'v1' })).result();
  const fork = await piton.resume(definition, 'v1', { from: 'two' });
  expect(await fork.result()).toMatchObject({ status: 'succeeded' });
  expect((await fork.checkpoint()).about).toEqual({ fork: { run: 'v1', seq: 2, supersedes: true } });
});

test('what may have begun in a run as it is now is held in its fork, as it is when the run goes on', async () => {
  await using piton = await open({ store: 'memory:' });
  const begun = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  let deploys = 0;
  const definition = workflow('flow')
    .task('build', () => 1)
    .task('deploy', { needs: ['build'], onInterrupt: 'ask' }, async () => {
      deploys++;
      begun.resolve();
      await go.promise;
    });
  const run = await piton.start(definition, { id: 'v1' });
  await begun.promise;
  const fork = await piton.fork(definition, 'v1', { drive: false });
  expect((await fork.checkpoint()).tasks['deploy']).toMatchObject({ status: 'held' });
  const before = await piton.fork(definition, 'v1@before:deploy', { drive: false });
  expect((await before.checkpoint()).tasks['deploy']).toMatchObject({ status: 'queued' });
  go.resolve();
  await run.result();
  expect(deploys).toBe(1);
});
