import { once } from 'node:events';
import { expect, test } from 'vitest';
import { parallel, stateGraph, workflow, type Observation } from '../../src/index.ts';
import { openPiton } from '../support/open-piton.ts';

const count = (checkpoint: 'every-task' | 'off' | { every: number }) =>
  stateGraph<{ n: number }>('count', { state: { n: 0 }, checkpoint })
    .node('up', ({ n }) => ({ n: n + 1 }))
    .edge('up', 'end', ({ n }) => n === 3)
    .edge('up', 'up');

test.each(['every-task', 'off', { every: 100 }] as const)(
  'with checkpoints %j observers are told the states between which each visit stood',
  async (checkpoint) => {
    const heard: Observation[] = [];
    const piton = await openPiton({ observers: [(observation) => heard.push(observation)] });
    await (await piton.start(count(checkpoint), {})).result();
    const story = heard.flatMap((told): unknown[][] => {
      if (told.type === 'node.entered') return [[told.task, told.before]];
      if (told.type === 'node.left') return [[told.task, told.before, told.after]];
      return told.type === 'cycle.entered' ? [[told.node, told.visit]] : [];
    });
    expect(story).toEqual([
      ['up#1', { n: 0 }],
      ['up#1', { n: 0 }, { n: 1 }],
      ['up', 2],
      ['up#2', { n: 1 }],
      ['up#2', { n: 1 }, { n: 2 }],
      ['up', 3],
      ['up#3', { n: 2 }],
      ['up#3', { n: 2 }, { n: 3 }],
    ]);
  },
);

test('rounds that are over as soon as they begin are counted one by one', async () => {
  const heard: Observation[] = [];
  const piton = await openPiton({ observers: [(observation) => heard.push(observation)] });
  const nothing = parallel<number, number>('nothing', (n) => Promise.resolve(n));
  const graph = stateGraph<{ n: number }>('g', { state: { n: 0 } })
    .node('round', nothing, { with: () => ({ items: [] }), update: (_, { n }) => ({ n: n + 1 }) })
    .edge('round', 'end', ({ n }) => n === 3)
    .edge('round', 'round');
  await (await piton.start(graph, {})).result();
  const visits = heard.flatMap((told) => (told.type === 'cycle.entered' ? [told.visit] : []));
  expect(visits).toEqual([2, 3]);
});

test('an observer that rejects harms nobody, and is heard of', async () => {
  const warned = once(process, 'warning');
  const piton = await openPiton({
    observers: [() => Promise.reject(new Error('telemetry is down'))],
  });
  const run = await piton.start(workflow('w').task('a', () => 1));
  expect((await run.result()).status).toBe('succeeded');
  expect(((await warned) as [Error])[0].message).toContain('telemetry is down');
});
