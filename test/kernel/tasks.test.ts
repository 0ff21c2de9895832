import { describe, expect, test } from 'vitest';
import { reasonToStop, taskAt, variablesOf } from '../../src/kernel/index.ts';
import { done, failedWith, interrupted, simulate, succeededWith } from '../support/simulate.ts';
import { body, forEach, graph, node, task, tries, uses, workflow } from '../support/workflows.ts';

describe('conditions', () => {
  test('a task whose need did not succeed is skipped, and says which', () => {
    const simulation = simulate(
      workflow([task('a'), task('b', { needs: ['a'] }), task('c', { needs: ['b'] })]),
    );
    simulation.end('a', failedWith());
    expect(simulation.all('task.skipped').map(({ task, data }) => [task, data.reason])).toEqual([
      ['b', 'it needs a, which failed'],
      ['c', 'it needs b, which was skipped'],
    ]);
    expect(simulation.status).toBe('failed');
  });

  test('a predicate is not even asked when a need did not succeed', () => {
    let asked = 0;
    const flow = workflow([task('a'), task('b', { needs: ['a'], if: { $function: 'ask' } })]);
    const simulation = simulate(flow, { closures: { ask: () => ++asked > 0 } });
    simulation.end('a', failedWith());
    expect(asked).toBe(0);
    expect(simulation.statusOf('b')).toBe('skipped');
  });

  test('failure() holds after the failure of any task that it needs, directly or not', () => {
    const simulation = simulate(
      workflow([
        task('a'),
        task('b', { needs: ['a'] }),
        task('rescue', { needs: ['b'], if: 'failure()' }),
        task('other', { if: 'failure()' }),
      ]),
    );
    simulation.end('a', failedWith());
    expect(simulation.statuses).toMatchObject({ b: 'skipped', rescue: 'running', other: 'skipped' });
  });

  test('failure() also hears of a failure that comes after a task in between was skipped', () => {
    const simulation = simulate(
      workflow([
        task('a'),
        task('b', { needs: ['a'] }),
        task('slow'),
        task('rescue', { needs: ['b', 'slow'], if: 'failure()' }),
      ]),
    );
    simulation.command({ type: 'skip', task: 'b' });
    simulation.end('a', failedWith());
    simulation.end('slow', done);
    expect(simulation.statusOf('rescue')).toBe('running');
  });

  test('a failure with continue-on-error stops nobody and is no failure for failure()', () => {
    const simulation = simulate(
      workflow([
        task('a', { continueOnError: true }),
        task('b', { needs: ['a'] }),
        task('rescue', { needs: ['a'], if: 'failure()' }),
      ]),
    );
    simulation.end('a', failedWith());
    expect(simulation.statuses).toMatchObject({ a: 'failed', b: 'running', rescue: 'skipped' });
    expect(simulation.drain().status).toBe('succeeded');
  });

  test('a condition that cannot be evaluated fails its task', () => {
    const simulation = simulate(workflow([task('a', { if: 'inputs.missing' })]));
    expect(taskAt(simulation.state, 'a').life).toMatchObject({
      status: 'failed',
      failure: { code: 'EXPRESSION_FAILED', retryable: false },
    });
  });

  test('a run in which a task was cancelled by itself has not succeeded', () => {
    const simulation = simulate(workflow([task('a'), task('b', { needs: ['a'] })]));
    simulation.end('a', { type: 'cancelled', reason: 'it gave up' });
    expect(simulation.state.phase).toMatchObject({
      status: 'failed',
      failure: { code: 'TASK_FAILED', message: 'a was cancelled: it gave up' },
    });
  });

  test('a workflow without tasks succeeds at once', () => {
    expect(simulate(workflow([])).status).toBe('succeeded');
  });
});

describe('fail-fast', () => {
  test('the first failure cancels what has not begun and asks what runs to stop', () => {
    const flow = workflow([task('a'), task('b'), task('c', { needs: ['b'] })], { failFast: true });
    const simulation = simulate(flow);
    simulation.end('a', failedWith());
    expect(simulation.statuses).toEqual({ a: 'failed', b: 'running', c: 'cancelled' });
    expect(reasonToStop(simulation.state, taskAt(simulation.state, 'b'))).toBe('a failed');
    simulation.end('b', { type: 'cancelled', reason: 'a failed' });
    expect(simulation.state.phase).toMatchObject({
      status: 'failed',
      failure: { message: 'a failed: it is broken' },
    });
  });

  test('a failure that will be retried does not cancel anything yet', () => {
    const flow = workflow([task('a', { retry: tries(2) }), task('b')], { failFast: true });
    const simulation = simulate(flow);
    simulation.end('a', failedWith());
    expect(reasonToStop(simulation.state, taskAt(simulation.state, 'b'))).toBeUndefined();
  });

  test('a task that fails during a fail-fast is not tried again', () => {
    const flow = workflow([task('a'), task('b', { retry: tries(3) })], { failFast: true });
    const simulation = simulate(flow);
    simulation.end('a', failedWith());
    simulation.end('b', failedWith());
    expect(simulation.statusOf('b')).toBe('failed');
    expect(simulation.status).toBe('failed');
  });

  test('a task that asks for failure() or always() still runs, with all the tasks it consists of', () => {
    const cleaning = workflow([task('x'), task('y', { needs: ['x'] })]);
    const simulation = simulate(
      workflow(
        [
          task('a'),
          task('clean', { needs: ['a'], if: 'always()', work: uses(cleaning) }),
          task('sweep', {
            needs: ['a'],
            if: 'failure()',
            forEach: forEach(['p', 'q']),
            work: body(cleaning),
          }),
          task('tidy', {
            needs: ['a'],
            if: 'always()',
            work: uses(graph([node('n', 'm'), node('m', 'end')])),
          }),
        ],
        { failFast: true },
      ),
    );
    simulation.end('a', failedWith());
    simulation.drain();
    const { a, ...others } = simulation.statuses;
    expect(a).toBe('failed');
    expect(new Set(Object.values(others))).toEqual(new Set(['succeeded']));
    expect(simulation.status).toBe('failed');
  });

  test('a failure in a nested workflow cancels the rest of that one, and of the outer only if it is fail-fast too', () => {
    const inner = workflow([task('x'), task('y', { needs: ['z'] }), task('z')], { failFast: true });
    const simulation = simulate(workflow([task('p', { work: uses(inner) }), task('q')]));
    simulation.end('p.x', failedWith());
    expect(simulation.statuses).toMatchObject({ 'p.y': 'cancelled', q: 'running' });
    expect(reasonToStop(simulation.state, taskAt(simulation.state, 'p.z'))).toBe('p.x failed');
    expect(reasonToStop(simulation.state, taskAt(simulation.state, 'q'))).toBeUndefined();
    simulation.end('p.z', interrupted);
    expect(simulation.statusOf('p')).toBe('failed');
  });
});

describe('what expressions see', () => {
  const parts = workflow(
    [
      task('plan'),
      task('build', {
        needs: ['plan'],
        forEach: forEach(['ui', 'api'], { as: 'part' }),
        work: body(workflow([task('write'), task('check', { needs: ['write'] })])),
      }),
    ],
    { maxParallel: 1 },
  );

  test('a body sees what is around it: inputs, the item and its key, and the tasks that its owner reads', () => {
    const simulation = simulate(parts, { inputs: { feature: 'x' } });
    simulation.end('plan', succeededWith('the plan'));
    simulation.end('build[ui].write', succeededWith('text'));
    simulation.end('build[api].write', succeededWith('text'));
    expect(variablesOf(simulation.state, taskAt(simulation.state, 'build[ui].check'))).toMatchObject({
      run: { id: 'run' },
      inputs: { feature: 'x' },
      part: 'ui',
      key: 'ui',
      tasks: {
        plan: { status: 'succeeded', output: 'the plan' },
        write: { status: 'succeeded', output: 'text' },
      },
    });
  });

  test('`needs` holds direct needs only, in a body too', () => {
    const simulation = simulate(parts);
    simulation.drain();
    const { needs } = variablesOf(simulation.state, taskAt(simulation.state, 'build[ui].check'));
    expect(Object.keys(needs as object)).toEqual(['write']);
  });

  test('a child workflow sees nothing but its inputs', () => {
    const child = workflow([task('x')]);
    const simulation = simulate(
      workflow([
        task('plan'),
        task('p', { needs: ['plan'], work: uses(child, { text: '${{ tasks.plan.output }}' }) }),
      ]),
      { inputs: { secret: 1 } },
    );
    simulation.end('plan', succeededWith('the plan'));
    const seen = variablesOf(simulation.state, taskAt(simulation.state, 'p.x'));
    expect(seen).toMatchObject({ inputs: { text: 'the plan' }, tasks: {}, needs: {} });
    expect(seen).not.toHaveProperty('inputs.secret');
  });

  test('the outputs of a workflow may read any of its tasks', () => {
    const flow = workflow([task('a'), task('b')], {
      outputs: { sum: ['${{ tasks.a.output }}', '${{ tasks.b.output }}'] },
    });
    const simulation = simulate(flow, { script: ({ name }) => succeededWith(`of ${name}`) }).drain();
    expect(simulation.state.phase).toEqual({ status: 'succeeded', outputs: { sum: ['of a', 'of b'] } });
  });

  test('outputs that cannot be evaluated fail the run', () => {
    const simulation = simulate(workflow([task('a')], { outputs: '${{ tasks.z.output }}' })).drain();
    expect(simulation.state.phase).toMatchObject({
      status: 'failed',
      failure: { code: 'EXPRESSION_FAILED' },
    });
  });

  test('what is seen of tasks is as they are now, also while they are under way', () => {
    const flow = workflow([task('a', { forEach: forEach(['x', 'y']) }), task('b', { needs: ['a'] })]);
    const simulation = simulate(flow);
    const seen = (): unknown => {
      const { tasks } = variablesOf(simulation.state, taskAt(simulation.state, 'b')) as {
        tasks: { a: { status: string; outputs: unknown } };
      };
      return [tasks.a.status, tasks.a.outputs];
    };
    expect(seen()).toEqual(['running', []]);
    simulation.end('a[y]', succeededWith(2));
    expect(seen()).toEqual(['running', [2]]);
    simulation.end('a[x]', succeededWith(1));
    expect(seen()).toEqual(['succeeded', [1, 2]]);
  });

  test('an item knows whether what its for-each needs has succeeded', () => {
    const flow = workflow([
      task('a'),
      task('each', { needs: ['a'], if: 'failure()', forEach: forEach(['x']) }),
    ]);
    const simulation = simulate(flow);
    simulation.end('a', failedWith());
    const { $status } = variablesOf(simulation.state, taskAt(simulation.state, 'each[x]'));
    expect($status).toEqual({ success: false, failure: true });
  });

  test('the output of a task that did not succeed is not there, its error is', () => {
    const simulation = simulate(
      workflow([task('a', { continueOnError: true }), task('b', { needs: ['a'] })]),
    );
    simulation.end('a', failedWith());
    const { tasks } = variablesOf(simulation.state, taskAt(simulation.state, 'b')) as {
      tasks: { a: object };
    };
    expect(tasks.a).toEqual({
      status: 'failed',
      error: { code: 'BROKEN', message: 'it is broken', retryable: true, class: 'unknown' },
    });
  });
});
