import { expect, test } from 'vitest';
import {
  decodeState,
  encodeState,
  migrationPath,
  scopeAt,
  taskAt,
  tasksOfDefinition,
  viewDrift,
  viewOf,
} from '../../src/kernel/index.ts';
import { simulate, succeededWith } from '../support/simulate.ts';
import { body, forEach, graph, node, task, workflow } from '../support/workflows.ts';

const versions = (version: string | undefined, steps: readonly number[] = []) =>
  workflow([task('a')], {
    ...(version !== undefined && { version }),
    ...(steps.length > 0 && { migrations: Object.fromEntries(steps.map((step) => [step, {}])) }),
  });

test.each([
  ['nothing has migrations', versions('3'), versions('2'), undefined],
  ['the same version', versions('2', [2]), versions('2', [2]), undefined],
  ['none is the first', versions(undefined), versions('3', [2, 3]), { from: 1, to: 3, steps: [2, 3] }],
  ['some of the way', versions('2'), versions('3', [2, 3]), { from: 2, to: 3, steps: [3] }],
  ['too old', versions('1'), versions('3', [3]), { reason: 'no migration leads from version 1 to 2' }],
  [
    'back',
    versions('3', [3]),
    versions('2'),
    { reason: 'this is version 2, and the run has version 3 already' },
  ],
  [
    'a name',
    versions('beta'),
    versions('2', [2]),
    { reason: expect.stringContaining('beta is no whole number') },
  ],
])('the way from one version to another: %s', (_, before, after, path) => {
  expect(migrationPath(before, after)).toEqual(path);
});

test('what is derived from migrated outputs is derived anew, and a snapshot says the same', () => {
  const tasks = [
    task('build', { forEach: forEach(['a', 'b']) }),
    task('last', { needs: ['build'], approval: 'Go?' }),
  ];
  const simulation = simulate(workflow(tasks));
  simulation.end('build[a]', succeededWith('a'));
  simulation.end('build[b]', succeededWith('b'));
  const { state } = simulation;
  expect(viewOf(state, taskAt(state, 'build')).output).toEqual(['a', 'b']);
  const outputs = [{ task: 'build[a]', output: { file: 'a' } }];
  const next = workflow(tasks, {
    version: '2',
    migrations: { 2: { outputs: { build: { file: '${{ output }}' } } } },
  });
  expect(viewDrift(state, next)).toMatchObject({
    mustChoose: false,
    canAccept: true,
    migration: { from: 1, to: 2 },
  });
  simulation.transition(() => [
    { type: 'drift.accepted', data: { workflow: next, migrated: [{ scope: '', from: 1, to: 2, outputs }] } },
  ]);
  expect(viewOf(state, taskAt(state, 'build')).output).toEqual([{ file: 'a' }, 'b']);
  const again = decodeState(encodeState(state));
  expect(viewOf(again, taskAt(again, 'build')).output).toEqual([{ file: 'a' }, 'b']);
  expect(viewDrift(state, next)).toEqual({ drift: [], mustChoose: false, canAccept: true });
});

test('tasks are found by their place in the definition: items, inline bodies, visits of a node', () => {
  const inner = workflow([task('one'), task('two')]);
  const simulation = simulate(workflow([task('each', { forEach: forEach(['a', 'b']), work: body(inner) })]));
  const found = tasksOfDefinition(simulation.state, scopeAt(simulation.state, ''));
  const addresses = Array.from(found, ([path, all]) => [path, all.map(({ address }) => address)]);
  expect(Object.fromEntries(addresses)).toEqual({
    each: ['each', 'each[a]', 'each[b]'],
    'each.one': ['each[a].one', 'each[b].one'],
    'each.two': ['each[a].two', 'each[b].two'],
  });
  const round = simulate(graph([node('a', [{ to: 'a' }])]));
  round.end('a#1', succeededWith({}));
  expect(
    [...tasksOfDefinition(round.state, scopeAt(round.state, '')).get('a')!].map(({ address }) => address),
  ).toEqual(['a#1', 'a#2']);
});
