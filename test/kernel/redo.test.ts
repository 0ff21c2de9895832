import { describe, expect, test } from 'vitest';
import { previewReopen, type Reopening } from '../../src/kernel/index.ts';
import { done, failedWith, simulate, type Simulation } from '../support/simulate.ts';
import { body, forEach, task, workflow } from '../support/workflows.ts';

const chain = workflow([task('a'), task('b', { needs: ['a'] }), task('c', { needs: ['b'] }), task('other')]);

const cleaning = workflow([
  task('build'),
  task('clean', { needs: ['build'], if: 'always()' }),
  task('ship', { needs: ['build'] }),
]);

/** Ended: `build` has failed, and what cleans up after it has run. */
function failedBuild(): Simulation {
  const simulation = simulate(cleaning);
  simulation.end('build', failedWith());
  simulation.drain();
  expect(simulation.statuses).toEqual({ build: 'failed', clean: 'succeeded', ship: 'skipped' });
  return simulation;
}

function namesOf(simulation: Simulation, wish: Reopening): string[] | string {
  const found = previewReopen(simulation.state, wish);
  return 'refusal' in found ? found.refusal : found.tasks.map(({ task: name }) => name);
}

describe('what has succeeded', () => {
  test('does not run again in a run that has ended, unless that is allowed by name', () => {
    const simulation = simulate(chain).drain();
    const before = simulation.events.length;
    expect(simulation.takeUp({ again: ['b'] })).toBe(
      'what has succeeded runs again only if you ask for it (--redo): b',
    );
    expect(simulation.takeUp({ again: ['b'], rerunSucceeded: ['b'] })).toBe(
      'what has succeeded runs again only if you ask for it (--redo): c',
    );
    expect(simulation.events).toHaveLength(before);
    expect(namesOf(simulation, { again: ['b'] })).toEqual(['b', 'c']);
    expect(simulation.takeUp({ again: ['b'], rerunSucceeded: ['b', 'c'] })).toBeUndefined();
    expect(simulation.drain().status).toBe('succeeded');
  });

  test.each([undefined, [], ['build']])(
    'does not run again with a failed task that it depends on: allowed %j',
    (allowed) => {
      const simulation = failedBuild();
      const permission = allowed && { rerunSucceeded: allowed };
      expect(simulation.takeUp({ again: ['build'], ...permission })).toBe(
        'what has succeeded runs again only if you ask for it (--redo): clean',
      );
      expect(simulation.takeUp({ skipped: ['build'], ...permission })).toMatch(/--redo\): clean$/);
      expect(simulation.takeUp({ done: ['build'], ...permission })).toMatch(/--redo\): clean$/);
      expect(simulation.takeUp({ again: ['build'], rerunSucceeded: ['clean'] })).toBeUndefined();
    },
  );

  test('is refused and allowed the same way in a run that goes on', () => {
    const simulation = simulate(workflow([task('a'), task('b', { needs: ['a'] }), task('last')]));
    simulation.end('a', done);
    simulation.end('b', done);
    const retry = { type: 'retry', task: 'a' } as const;
    expect(simulation.command(retry)).toMatchObject({ accepted: false });
    expect(simulation.command({ ...retry, rerunSucceeded: ['a'] })).toEqual({
      accepted: false,
      text: 'what has succeeded runs again only if you ask for it (--redo): b',
    });
    expect(simulation.command({ ...retry, rerunSucceeded: ['a', 'b'] }).accepted).toBe(true);
    expect(simulation.statuses).toEqual({ a: 'running', b: 'pending', last: 'running' });
  });

  test('what succeeded after the list was agreed to is not on it', () => {
    const simulation = simulate(
      workflow([task('a'), task('b', { needs: ['a'], if: 'always()' }), task('c')]),
    );
    simulation.command({ type: 'pause' });
    simulation.end('a', failedWith());
    const listed = namesOf(simulation, { again: ['a'] });
    simulation.command({ type: 'resume' });
    simulation.drain();
    expect(simulation.takeUp({ again: ['a'], rerunSucceeded: listed as string[] })).toMatch(/--redo\): b$/);
  });

  test('two who agreed to the same list: the second is refused', () => {
    const simulation = simulate(chain).drain();
    const { version: seen } = simulation.state;
    const wish = { again: ['b'], rerunSucceeded: ['b', 'c'], seen };
    expect(simulation.takeUp(wish)).toBeUndefined();
    simulation.drain();
    expect(simulation.takeUp(wish)).toBe('b has gone on since you looked at it: it is succeeded now');
  });

  test('counts inside of a for-each or a nested workflow that has failed as a whole', () => {
    const each = simulate(workflow([task('each', { forEach: forEach(['x', 'y']) })], { failFast: false }));
    each.end('each[x]', done);
    each.end('each[y]', failedWith());
    expect(each.statuses['each']).toBe('failed');
    expect(each.takeUp({ again: ['each'] })).toMatch(/--redo\): each$/);
    expect(each.takeUp({ again: ['each[y]'] })).toBeUndefined();
    const nested = simulate(
      workflow([task('group', { work: body(workflow([task('x'), task('y', { needs: ['x'] })])) })]),
    );
    nested.end('group.x', done);
    nested.end('group.y', failedWith());
    expect(nested.takeUp({ again: ['group'] })).toMatch(/--redo\): group$/);
    expect(nested.takeUp({ again: ['group.y'] })).toBeUndefined();
  });
});

describe('the list of what runs again', () => {
  test('marks what cannot be undone, asks again, or stays merged', () => {
    const flow = workflow([
      task('build'),
      task('deploy', { needs: ['build'], onInterrupt: 'ask', approval: 'Deploy?' }),
      task('tell', { needs: ['deploy'] }),
    ]);
    const simulation = simulate(flow);
    const place = { path: '/trees/build', branch: 'piton-tasks/r/build', base: 'c0', token: 't' };
    simulation.transition(() => [{ type: 'workspace.prepared', task: 'build', data: place }]);
    simulation.end('build', { type: 'succeeded', integrated: { result: 'c1', commit: 'c2' } });
    simulation.decide('approve', 'deploy');
    simulation.end('deploy', done);
    expect(previewReopen(simulation.state, { again: ['build'] })).toEqual({ refusal: 'tell is running' });
    const delivered = { how: 'merge', into: 'main', commit: 'c3' } as const;
    simulation.drain().transition(() => [{ type: 'run.delivered', data: delivered }]);
    expect(previewReopen(simulation.state, { again: ['build'] })).toEqual({
      version: simulation.state.version,
      delivered,
      tasks: [
        { task: 'build', status: 'succeeded', hasSucceeded: true, hasRun: true, isMerged: true },
        {
          task: 'deploy',
          status: 'succeeded',
          hasSucceeded: true,
          hasRun: true,
          isIrreversible: true,
          asksApproval: true,
        },
        { task: 'tell', status: 'succeeded', hasSucceeded: true, hasRun: true },
      ],
    });
  });

  test('has a for-each as one, and not what is settled without running', () => {
    const flow = workflow([
      task('a'),
      task('each', { needs: ['a'], forEach: forEach(['x', 'y']) }),
      task('clean', { needs: ['a'], if: 'always()' }),
    ]);
    const simulation = simulate(flow).drain();
    expect(previewReopen(simulation.state, { again: ['a'] })).toMatchObject({
      tasks: [{ task: 'a' }, { task: 'each', below: 2, hasSucceeded: true }, { task: 'clean' }],
    });
    expect(namesOf(failedBuild(), { skipped: ['build'] })).toEqual(['clean', 'ship']);
  });
});
