import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/base/index.ts';
import { isFailFast, reasonToStop, taskAt, viewOf } from '../../src/kernel/index.ts';
import type { ForEachSpec, TaskSpec } from '../../src/model/index.ts';
import { done, failedWith, simulate, succeededWith, type Simulation } from '../support/simulate.ts';
import { body, forEach, task, tries, workflow } from '../support/workflows.ts';

function over(list: Json, given: Partial<ForEachSpec> = {}, rest: Partial<TaskSpec> = {}): Simulation {
  return simulate(workflow([task('build', { forEach: forEach(list, given), ...rest })]));
}

function addresses(simulation: Simulation): string[] {
  return [...simulation.state.tasks.keys()];
}

function failureOf(simulation: Simulation, address = 'build'): unknown {
  const { life } = taskAt(simulation.state, address);
  return life.status === 'failed' ? life.failure : undefined;
}

describe('keys', () => {
  test('texts and numbers are their own keys, anything else is known by its place', () => {
    expect(addresses(over(['ui', 7]))).toEqual(['build', 'build[ui]', 'build[7]']);
    expect(addresses(over([{ name: 'ui' }, null, true]))).toEqual([
      'build',
      'build[0]',
      'build[1]',
      'build[2]',
    ]);
  });

  test('an expression can name the items', () => {
    const parts = [{ name: 'ui' }, { name: 'api' }];
    expect(addresses(over(parts, { as: 'part', key: '${{ part.name }}' }))).toEqual([
      'build',
      'build[ui]',
      'build[api]',
    ]);
  });

  test('two items with one key are an error that names the key, and nothing is started', () => {
    const simulation = over(['ui', 'api', 'ui']);
    expect(failureOf(simulation)).toMatchObject({
      code: 'FOR_EACH_INVALID',
      message: expect.stringContaining('"ui"') as string,
    });
    expect(simulation.all('attempt.started')).toEqual([]);
    expect(simulation.status).toBe('failed');
  });

  test('a number and the text of that number are the same key', () => {
    expect(failureOf(over([1, '1']))).toMatchObject({ code: 'FOR_EACH_INVALID' });
  });

  test('equal objects are different items, because their places differ', () => {
    expect(addresses(over([{ size: 1 }, { size: 1 }]))).toEqual(['build', 'build[0]', 'build[1]']);
  });

  test('punctuation of addresses is written in another way inside a key, so that no two addresses meet', () => {
    expect(addresses(over(['a]', 'a%5D', 'b.c#1']))).toEqual([
      'build',
      'build[a%5D]',
      'build[a%255D]',
      'build[b.c#1]',
    ]);
  });
});

describe('the list', () => {
  test('an empty list succeeds at once, with no outputs', () => {
    const simulation = over([]);
    expect(simulation.status).toBe('succeeded');
    expect(simulation.outputOf('build')).toEqual([]);
  });

  test('what is not a list is an error that shows what came instead', () => {
    const simulation = over({ ui: 1 });
    expect(failureOf(simulation)).toMatchObject({
      code: 'FOR_EACH_INVALID',
      message: 'for-each of build needs a list, but got {"ui":1}.',
    });
  });

  test('a list whose expression fails, fails the task for good', () => {
    const simulation = over('${{ inputs.parts }}', {}, { retry: tries(3) });
    expect(failureOf(simulation)).toMatchObject({ code: 'EXPRESSION_FAILED', retryable: false });
  });

  test('a matrix is every combination of its lists, the last list varying fastest', () => {
    const simulation = over({ os: ['linux', 'mac'], node: [22, 24] }, { matrix: true });
    expect(simulation.all('tasks.expanded')[0]!.data.items).toEqual([
      { key: 'linux,22', item: { os: 'linux', node: 22 } },
      { key: 'linux,24', item: { os: 'linux', node: 24 } },
      { key: 'mac,22', item: { os: 'mac', node: 22 } },
      { key: 'mac,24', item: { os: 'mac', node: 24 } },
    ]);
  });

  test('a matrix with an empty list has no combination', () => {
    expect(over({ os: ['linux'], node: [] }, { matrix: true }).status).toBe('succeeded');
  });

  const itemsOfMatrix = (matrix: Json): unknown =>
    over(matrix, { matrix: true })
      .all('tasks.expanded')[0]!
      .data.items.map(({ key, item }) => [key, item]);

  test('exclude leaves out combinations, by some of their fields or all', () => {
    const lists = { os: ['linux', 'mac'], node: [22, 24] };
    const exclude = [{ os: 'mac', node: 22 }, { node: 23 }];
    expect(itemsOfMatrix({ ...lists, exclude })).toEqual([
      ['linux,22', { os: 'linux', node: 22 }],
      ['linux,24', { os: 'linux', node: 24 }],
      ['mac,24', { os: 'mac', node: 24 }],
    ]);
    expect(itemsOfMatrix({ ...lists, exclude: [{ os: 'mac' }] })).toHaveLength(2);
  });

  test('include adds fields to the combinations that it fits, which keep their keys, and else a combination', () => {
    const include = [
      { color: 'green' },
      { os: 'linux', full: true },
      { os: 'mac', node: 26, color: 'red' },
      { os: 'solaris' },
    ];
    expect(itemsOfMatrix({ os: ['linux', 'mac'], node: [22], include })).toEqual([
      ['linux,22', { os: 'linux', node: 22, color: 'green', full: true }],
      ['mac,22', { os: 'mac', node: 22, color: 'green' }],
      ['mac,26,red', { os: 'mac', node: 26, color: 'red' }],
      ['solaris', { os: 'solaris' }],
    ]);
  });

  test('a matrix may be nothing but what it includes, also what exclude would have taken out', () => {
    expect(itemsOfMatrix({ include: [{ suite: 'unit' }, { suite: 'e2e' }] })).toEqual([
      ['unit', { suite: 'unit' }],
      ['e2e', { suite: 'e2e' }],
    ]);
    const all = { os: ['linux'], exclude: [{ os: 'linux' }], include: [{ os: 'linux', node: 24 }] };
    expect(itemsOfMatrix(all)).toEqual([['linux,24', { os: 'linux', node: 24 }]]);
  });

  test.each<[string, Json]>([
    ['include', 'linux'],
    ['include', ['linux']],
    ['exclude', { os: 'linux' }],
  ])('%s has to be a list of records: %j', (key, value) => {
    const simulation = over({ os: ['linux'], [key]: value }, { matrix: true });
    expect(failureOf(simulation)).toMatchObject({ code: 'FOR_EACH_INVALID' });
  });

  test('a matrix of something else than lists is an error', () => {
    expect(failureOf(over({ os: 'linux' }, { matrix: true }))).toMatchObject({ code: 'FOR_EACH_INVALID' });
    expect(failureOf(over(['linux'], { matrix: true }))).toMatchObject({ code: 'FOR_EACH_INVALID' });
  });
});

describe('results', () => {
  test('outputs come in the order of the list, whichever item ended first', () => {
    const simulation = over(['a', 'b', 'c']);
    for (const key of ['c', 'a', 'b']) simulation.end(`build[${key}]`, succeededWith(`of ${key}`));
    expect(simulation.outputOf('build')).toEqual(['of a', 'of b', 'of c']);
  });

  test('a reader sees every item with its key, value, status, and output or error', () => {
    const simulation = over(['a', 'b'], { maxFailures: 1 });
    simulation.end('build[a]', failedWith());
    simulation.end('build[b]', succeededWith(2));
    const view = viewOf(simulation.state, taskAt(simulation.state, 'build'));
    expect(view).toEqual({
      status: 'succeeded',
      output: [2],
      outputs: [2],
      items: [
        {
          key: 'a',
          item: 'a',
          status: 'failed',
          error: { code: 'BROKEN', message: 'it is broken', retryable: true, class: 'unknown' },
        },
        { key: 'b', item: 'b', status: 'succeeded', output: 2 },
      ],
    });
  });
});

describe('failures', () => {
  test('as many items as allowed may fail', () => {
    const simulation = over(['a', 'b', 'c'], { maxFailures: 2 });
    simulation.end('build[a]', failedWith());
    simulation.end('build[b]', failedWith());
    simulation.end('build[c]', done);
    expect(simulation.status).toBe('succeeded');
  });

  test('one failure too many fails the for-each, once the items that run have ended', () => {
    const simulation = over(['a', 'b', 'c', 'd'], { maxFailures: 1, maxParallel: 3 });
    simulation.end('build[a]', failedWith());
    simulation.end('build[b]', failedWith());
    expect(simulation.statuses).toMatchObject({ 'build[c]': 'running', 'build[d]': 'running' });
    simulation.end('build[c]', done);
    simulation.end('build[d]', done);
    expect(failureOf(simulation)).toMatchObject({
      code: 'ITEMS_FAILED',
      message: '2 of 4 items did not succeed, first build[a]: it is broken',
    });
    expect(simulation.status).toBe('failed');
  });

  test('an item that has not begun when one too many fails, never begins', () => {
    const simulation = over(['a', 'b', 'c'], { maxParallel: 1 });
    simulation.end('build[a]', failedWith());
    expect(simulation.statuses).toMatchObject({ 'build[b]': 'cancelled', 'build[c]': 'cancelled' });
    expect(simulation.status).toBe('failed');
  });

  test('an item that waits for its next try is cancelled when one too many fails', () => {
    const simulation = over(['a', 'b'], {}, { retry: tries(3) });
    simulation.end('build[a]', failedWith());
    expect(simulation.statusOf('build[a]')).toBe('delayed');
    simulation.end('build[b]', failedWith('HOPELESS', false));
    expect(simulation.statusOf('build[a]')).toBe('cancelled');
    expect(simulation.status).toBe('failed');
  });

  test('with fail-fast, items that run are to be stopped when one too many has failed', () => {
    const flow = workflow([task('build', { forEach: forEach(['a', 'b']) })], { failFast: true });
    const simulation = simulate(flow);
    simulation.end('build[a]', failedWith());
    expect(reasonToStop(simulation.state, taskAt(simulation.state, 'build[b]'))).toContain('too many items');
  });

  test('with fail-fast of its own, items that run are to be stopped, and nothing beside the for-each', () => {
    const flow = workflow([
      task('build', { forEach: forEach(['a', 'b'], { failFast: true }) }),
      task('lint'),
    ]);
    const simulation = simulate(flow);
    const { state } = simulation;
    simulation.end('build[a]', failedWith());
    expect(reasonToStop(state, taskAt(state, 'build[b]'))).toContain('too many items');
    expect(isFailFast(state, taskAt(state, 'build[a]'))).toBe(true);
    expect(reasonToStop(state, taskAt(state, 'lint'))).toBeUndefined();
    expect(isFailFast(state, taskAt(state, 'lint'))).toBe(false);
  });

  test('with fail-fast: false every item is tried, and the for-each fails at the end', () => {
    const flow = workflow(
      [task('build', { forEach: forEach(['a', 'b', 'c'], { failFast: false, maxParallel: 1 }) })],
      {
        failFast: true,
      },
    );
    const simulation = simulate(flow);
    simulation.end('build[a]', failedWith());
    expect(simulation.statusOf('build[b]')).toBe('running');
    simulation.end('build[b]', done);
    simulation.end('build[c]', done);
    expect(failureOf(simulation)).toMatchObject({ message: expect.stringContaining('1 of 3 items did not') });
    expect(simulation.status).toBe('failed');
  });

  test('with continue-on-error the failures of items do not count', () => {
    const simulation = over(['a', 'b'], {}, { continueOnError: true });
    simulation.end('build[a]', failedWith());
    simulation.end('build[b]', done);
    expect(simulation.statusOf('build')).toBe('succeeded');
  });

  test('an item that the operator skips is no failure', () => {
    const simulation = over(['a', 'b'], { maxParallel: 1 });
    expect(simulation.command({ type: 'skip', task: 'build[b]' }).accepted).toBe(true);
    simulation.end('build[a]', succeededWith(1));
    expect(simulation.statusOf('build')).toBe('succeeded');
    expect(simulation.outputOf('build')).toEqual([1]);
  });

  test('each item is retried on its own', () => {
    const simulation = over(['a', 'b'], {}, { retry: tries(2) });
    simulation.end('build[a]', failedWith());
    simulation.end('build[b]', done);
    simulation.wake();
    expect(simulation.running).toEqual(['build[a]']);
    simulation.end('build[a]', done);
    expect(simulation.status).toBe('succeeded');
    expect(taskAt(simulation.state, 'build[a]').attempts).toBe(2);
    expect(taskAt(simulation.state, 'build[b]').attempts).toBe(1);
  });

  test('a cancelled for-each has not succeeded, however many items may fail', () => {
    const simulation = over(['a', 'b', 'c'], { maxFailures: 3, maxParallel: 1 });
    simulation.end('build[a]', done);
    simulation.command({ type: 'cancel', reason: 'enough' });
    simulation.end('build[b]', done);
    expect(simulation.statusOf('build')).toBe('cancelled');
    expect(simulation.status).toBe('cancelled');
  });
});

describe('bodies', () => {
  const steps = body(workflow([task('write'), task('check', { needs: ['write'] })]));

  test('an item does not wait for the others between its tasks', () => {
    const simulation = over(['a', 'b'], {}, { work: steps });
    simulation.end('build[a].write', done);
    expect(simulation.running).toEqual(['build[a].check', 'build[b].write']);
  });

  test('max-parallel counts whole items, from the first task of their bodies to the last', () => {
    const simulation = over(['a', 'b'], { maxParallel: 1 }, { work: steps });
    expect(simulation.running).toEqual(['build[a].write']);
    simulation.end('build[a].write', done);
    expect(simulation.running).toEqual(['build[a].check']);
    simulation.end('build[a].check', done);
    expect(simulation.running).toEqual(['build[b].write']);
  });

  test('an item gives what its body gives: every task by name', () => {
    const simulation = over(['a'], {}, { work: steps });
    simulation.end('build[a].write', succeededWith('text'));
    simulation.end('build[a].check', succeededWith('good'));
    expect(simulation.outputOf('build')).toEqual([{ write: 'text', check: 'good' }]);
  });

  test('a for-each within the body of a for-each has addresses of its own and sees both items', () => {
    const inner = task('test', { forEach: forEach(['x', 'y'], { as: 'kind' }) });
    const seen: unknown[] = [];
    const flow = workflow([
      task('build', { forEach: forEach(['a', 'b'], { as: 'part' }), work: body(workflow([inner])) }),
    ]);
    const simulation = simulate(flow, {
      script: ({ task, variables: { part, kind, key } }) => {
        seen.push([task, part, kind, key]);
        return done;
      },
    }).drain();
    expect(simulation.status).toBe('succeeded');
    expect(seen).toEqual([
      ['build[a].test[x]', 'a', 'x', 'x'],
      ['build[a].test[y]', 'a', 'y', 'y'],
      ['build[b].test[x]', 'b', 'x', 'x'],
      ['build[b].test[y]', 'b', 'y', 'y'],
    ]);
  });

  test('an item whose body failed has failed, and the rest of its body is skipped', () => {
    const simulation = over(['a', 'b'], { maxFailures: 1 }, { work: steps });
    simulation.end('build[a].write', failedWith());
    expect(simulation.statuses).toMatchObject({ 'build[a].check': 'skipped', 'build[a]': 'failed' });
    simulation.drain();
    expect(simulation.status).toBe('succeeded');
  });
});

test('a for-each that failed tells how many, the first of them, and how many were not tried', () => {
  const simulation = over(['a', 'b', 'c', 'd'], { maxParallel: 2 });
  simulation.end('build[a]', done);
  simulation.end('build[b]', failedWith('SLOW'));
  simulation.drain();
  expect(failureOf(simulation)).toMatchObject({
    code: 'ITEMS_FAILED',
    retryable: false,
    message: expect.stringMatching(
      / of 4 items did not succeed \(\d of them cancelled for the others\), first build\[b\]: it is slow$/,
    ),
  });
  const alone = over(['a', 'b']);
  alone.end('build[a]', failedWith('OFF'));
  alone.end('build[b]', done);
  expect(failureOf(alone)).toMatchObject({
    message: '1 of 2 items did not succeed, first build[a]: it is off',
  });
});
