/** What becomes of a run that was brought from another store before it had ended. */
import { expect, test } from 'vitest';
import { statusOf, statusOfTask, tasksLeftBehind } from '../../src/kernel/index.ts';
import type { Origin } from '../../src/model/index.ts';
import { done, failedWith, simulate } from '../support/simulate.ts';
import { task, tries, workflow } from '../support/workflows.ts';

const place = { path: '/there/places/b', token: 't', branch: 'refs/heads/b', base: 'c0' };
const here: Origin = { directory: '/here' };

/** `a` has settled, `b` is tried again later in its place, `c` runs, and `d` waits for it. */
function underWay() {
  const flow = workflow([task('a'), task('b', { retry: tries(2) }), task('c'), task('d', { needs: ['c'] })]);
  const simulation = simulate(flow);
  for (const address of ['a', 'b'])
    simulation.transition(() => [{ type: 'workspace.prepared', task: address, data: place }]);
  simulation.end('a', done);
  simulation.end('b', failedWith());
  return simulation;
}

test('held is what runs, and what has begun in a place of its own; nothing else', () => {
  expect(tasksLeftBehind(underWay().state)).toEqual(['b', 'c']);
});

test('it is paused, goes on elsewhere, and forgets places whose paths mean nothing here', () => {
  const simulation = underWay();
  const { state } = simulation;
  const held = tasksLeftBehind(state);
  simulation.transition(() => [
    { type: 'run.imported', data: { held, reason: 'it ran elsewhere', origin: here } },
  ]);
  expect(statusOf(state)).toBe('paused');
  expect(state.origin).toEqual(here);
  const statuses = Array.from(state.tasks.values(), (each) => [each.address, statusOfTask(each)]);
  expect(Object.fromEntries(statuses)).toEqual({ a: 'succeeded', b: 'held', c: 'held', d: 'pending' });
  expect(state.tasks.get('b')!.workspace).toBeUndefined();
  expect(state.tasks.get('a')!.workspace?.cleaned).toMatchObject({ how: 'removed' });
  expect(state.counts.places).toBe(0);
});
