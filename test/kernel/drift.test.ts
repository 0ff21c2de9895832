import { describe, expect, test } from 'vitest';
import { driftOf, encodeState } from '../../src/kernel/index.ts';
import type { Workflow } from '../../src/model/index.ts';
import { done, failedWith, interrupted, simulate, type Simulation } from '../support/simulate.ts';
import { graph, node, task, tries, workflow } from '../support/workflows.ts';

const original = workflow([
  task('a', { retry: tries(2) }),
  task('b', { needs: ['a'] }),
  task('c', { needs: ['b'] }),
]);

function adopt(simulation: Simulation, changed: Workflow): void {
  simulation.transition(() => [{ type: 'drift.accepted', data: { workflow: changed } }]);
}

describe('finding drift', () => {
  test('the same definition has not drifted, nor one that differs in nothing that concerns a task', () => {
    const simulation = simulate(original);
    expect(driftOf(simulation.state, original)).toEqual([]);
    expect(driftOf(simulation.state, workflow(original.tasks, { maxParallel: 7 }))).toEqual([]);
  });

  test('changed, added and removed tasks are named, and whether they have begun', () => {
    const simulation = simulate(original);
    simulation.end('a', done);
    const changed = workflow([
      task('a', { retry: tries(5) }),
      task('b', { needs: ['a'], priority: 3 }),
      task('d', { needs: ['b'] }),
    ]);
    expect(driftOf(simulation.state, changed)).toEqual([
      { task: 'a', change: 'changed', begun: true },
      { task: 'b', change: 'changed', begun: true },
      { task: 'c', change: 'removed', begun: false },
      { task: 'd', change: 'added', begun: false },
    ]);
  });

  test('the order in which tasks and their keys are written is no drift', () => {
    const simulation = simulate(original);
    const [a, b, c] = original.tasks;
    expect(driftOf(simulation.state, workflow([c!, Object.assign({ writes: [] }, b), a!]))).toEqual([]);
  });

  test.for([
    ['waits for its next try', failedWith()],
    ['was interrupted and is waiting to start again', interrupted],
  ] as const)('a task that %s has begun', ([, outcome]) => {
    const simulation = simulate(original);
    simulation.command({ type: 'pause' });
    simulation.end('a', outcome);
    const changed = workflow([task('a', { priority: 1 }), ...original.tasks.slice(1)]);
    expect(driftOf(simulation.state, changed)).toEqual([{ task: 'a', change: 'changed', begun: true }]);
  });

  test('a task that is to be done again has not begun: it may be changed, or be gone', () => {
    const simulation = simulate(original).drain();
    simulation.mayStart = false;
    simulation.reopen('b');
    const changed = workflow([original.tasks[0]!, task('b', { needs: ['a'], priority: 3 })]);
    expect(driftOf(simulation.state, changed)).toEqual([
      { task: 'b', change: 'changed', begun: false },
      { task: 'c', change: 'removed', begun: false },
    ]);
    adopt(simulation, changed);
    simulation.mayStart = true;
    simulation.transition();
    expect(simulation.drain().statuses).toEqual({ a: 'succeeded', b: 'succeeded' });
    expect(simulation.status).toBe('succeeded');
  });

  test('a node of a graph has begun once it was visited', () => {
    const nodes = [node('a', 'b'), node('b', 'end')];
    const simulation = simulate(graph(nodes));
    const changed = graph(nodes.map((spec) => ({ ...spec, priority: 5 })));
    expect(driftOf(simulation.state, changed)).toEqual([
      { task: 'a', change: 'changed', begun: true },
      { task: 'b', change: 'changed', begun: false },
    ]);
  });

  test('a workflow that became a graph has nothing left of what has begun', () => {
    const simulation = simulate(workflow([task('a', { next: [{ to: 'end' }] })]));
    expect(driftOf(simulation.state, graph([node('a', 'end')]))).toEqual([
      { task: 'a', change: 'changed', begun: true },
    ]);
  });
});

describe('going on with another definition', () => {
  test('what has not begun is done as the new definition says', () => {
    const simulation = simulate(original);
    simulation.end('a', done);
    adopt(
      simulation,
      workflow([...original.tasks.slice(0, 2), task('e', { needs: ['d'] }), task('d', { needs: ['a'] })]),
    );
    expect(simulation.statuses).toEqual({ a: 'succeeded', b: 'running', e: 'pending', d: 'running' });
    expect(simulation.drain().status).toBe('succeeded');
    expect(simulation.state.counts).toMatchObject({ total: 4, settled: 4 });
  });

  test('a task that is added after everything it needs has settled starts at once', () => {
    const simulation = simulate(workflow([task('a'), task('slow')]));
    simulation.end('a', done);
    adopt(simulation, workflow([task('a'), task('slow'), task('late', { needs: ['a'] })]));
    expect(simulation.running).toEqual(['slow', 'late']);
  });

  test('a task that is added after a failure knows of it', () => {
    const simulation = simulate(workflow([task('a'), task('slow')]));
    simulation.end('a', failedWith());
    adopt(
      simulation,
      workflow([
        task('a'),
        task('slow'),
        task('plain', { needs: ['a'] }),
        task('rescue', { needs: ['a'], if: 'failure()' }),
      ]),
    );
    expect(simulation.statuses).toMatchObject({ plain: 'skipped', rescue: 'running' });
  });

  test('a task that no longer needs what failed forgets the failure', () => {
    const simulation = simulate(
      workflow([
        task('rescue', { needs: ['b'], if: 'failure()' }),
        task('a'),
        task('slow'),
        task('b', { needs: ['a', 'slow'] }),
      ]),
    );
    simulation.end('a', failedWith());
    adopt(
      simulation,
      workflow([
        task('rescue', { needs: ['b'], if: 'failure()' }),
        task('a'),
        task('slow'),
        task('b', { needs: ['slow'] }),
      ]),
    );
    simulation.end('slow', done);
    simulation.end('b', done);
    expect(simulation.statusOf('rescue')).toBe('skipped');
  });

  test('another max-parallel counts from now on', () => {
    const tasks = ['a', 'b', 'c', 'd'].map((name) => task(name));
    const simulation = simulate(workflow(tasks, { maxParallel: 3 }));
    adopt(simulation, workflow(tasks, { maxParallel: 1 }));
    simulation.end('a', done);
    expect(simulation.running).toEqual(['b', 'c']);
    adopt(simulation, workflow(tasks, { maxParallel: 4 }));
    expect(simulation.running).toEqual(['b', 'c', 'd']);
  });

  test('tasks that are added take their places after all that were ever there', () => {
    const simulation = simulate(workflow([task('a'), task('b'), task('c'), task('d')], { maxParallel: 1 }));
    adopt(simulation, workflow([task('a'), task('c'), task('d'), task('x'), task('y')], { maxParallel: 1 }));
    const orders = [...simulation.state.tasks.values()].map(({ order }) => order);
    expect(new Set(orders).size).toBe(orders.length);
    simulation.drain();
    expect(simulation.all('attempt.started').map((event) => event.task)).toEqual(['a', 'c', 'd', 'x', 'y']);
  });

  test('a task that is added to a run which is being cancelled is cancelled at once', () => {
    const simulation = simulate(workflow([task('a')]));
    simulation.command({ type: 'cancel', reason: 'enough' });
    adopt(simulation, workflow([task('a'), task('late', { needs: ['a'] })]));
    expect(simulation.statuses).toEqual({ a: 'running', late: 'cancelled' });
  });

  test('a run ends at once if all that was left to do is removed', () => {
    const simulation = simulate(workflow([task('a'), task('b', { needs: ['a'] })]));
    simulation.command({ type: 'pause' });
    simulation.end('a', done);
    adopt(simulation, workflow([task('a')]));
    expect(simulation.status).toBe('succeeded');
  });

  test('a graph goes on to nodes as they are defined now', () => {
    const simulation = simulate(graph([node('a', 'b'), node('b', 'end')]));
    adopt(simulation, graph([node('a', 'b'), node('b', 'c'), node('c', 'end')]));
    simulation.end('a#1', done);
    simulation.end('b#1', done);
    expect(simulation.running).toEqual(['c#1']);
  });

  test('the change is in the journal: folded anew it gives the same state', () => {
    const simulation = simulate(original);
    simulation.end('a', done);
    adopt(simulation, workflow([...original.tasks.slice(0, 2), task('d', { needs: ['b'] })]));
    expect(encodeState(simulation.replayed())).toBe(encodeState(simulation.state));
    simulation.crash({ snapshot: true });
    expect(simulation.drain().status).toBe('succeeded');
  });
});
