import { expect, test } from 'vitest';
import { mustBeCertain } from '../../src/engine/certainty.ts';
import { workflow as building } from '../../src/index.ts';
import type { Event } from '../../src/model/index.ts';
import { openPiton } from '../support/open-piton.ts';
import { simulate } from '../support/simulate.ts';
import { command, task, workflow } from '../support/workflows.ts';

const { state } = simulate(
  workflow([
    task('asks', { onInterrupt: 'ask' }),
    task('calls'),
    task('runs', { work: command('make') }),
    task('placed', { work: command('make') }),
  ]),
);
state.tasks.get('placed')!.workspace = { path: '/place', token: 't' };

const succeeded = (name: string): Event => ({ type: 'task.succeeded', task: name, data: {} });
const started = (name: string): Event => ({
  type: 'attempt.started',
  task: name,
  attempt: 'a',
  data: { number: 1 },
});

test('what outlives us or must not be done twice is durable before it begins, whatever the checkpoint policy', () => {
  expect(['asks', 'calls', 'runs'].map((name) => mustBeCertain(state, [started(name)]))).toEqual([
    'asks',
    undefined,
    'runs',
  ]);
});

test('the end of a task is durable before its place is removed', () => {
  expect(mustBeCertain(state, [succeeded('calls'), succeeded('runs')])).toBeUndefined();
  expect(mustBeCertain(state, [succeeded('calls'), succeeded('placed')])).toBe('placed');
});

test('a task that may do harm twice is in the store before it begins, whatever the checkpoint policy', async () => {
  const url = 'memory:certainty';
  const [piton, aside] = [await openPiton({ store: url }), await openPiton({ store: url })];
  const seen: unknown[] = [];
  const flow = building('flow', { checkpoint: 'manual' })
    .task('first', () => 1)
    .task('pay', { needs: ['first'], onInterrupt: 'ask' }, async () => {
      seen.push((await (await aside.find('r')).checkpoint()).tasks['pay']);
    });
  await (await piton.start(flow, { id: 'r' })).result();
  expect(seen).toMatchObject([{ status: 'running', attempts: 1 }]);
});
