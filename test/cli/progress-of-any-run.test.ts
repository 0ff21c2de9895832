import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { countsOf } from '../support/count-tasks.ts';
import { summaryOf, viewOf } from '../../src/kernel/index.ts';
import type { RunEvent } from '../../src/model/index.ts';
import { checkpointOf, WatchedRun } from '../../src/views/index.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { steps, take } from '../support/random-lives.ts';
import { closures, nestedWorkflows } from '../support/random-workflows.ts';
import { done, simulate, type Simulation } from '../support/simulate.ts';
import { task, workflow } from '../support/workflows.ts';

/** Whoever watches a run is told its events, and folds them again. */
class Watcher {
  readonly run = new WatchedRun('run');
  #seen = 0;

  follow({ journal }: Simulation): WatchedRun {
    for (const { run, seq, at, events } of journal.slice(this.#seen))
      for (const event of events) this.run.add({ ...event, run, seq, at } as RunEvent);
    this.#seen = journal.length;
    return this.run;
  }
}

function known({ state }: Simulation): Record<string, string> {
  return Object.fromEntries(
    Array.from(state.tasks.values(), (task) => [task.address, viewOf(state, task).status] as const),
  );
}

function shown(run: WatchedRun): Record<string, string> {
  return Object.fromEntries(Array.from(run.tasks(), ({ address, status }) => [address, status] as const));
}

test('who watches a run sees of each task what the run itself knows, whatever happens; so does who comes late', () => {
  fc.assert(
    fc.property(nestedWorkflows({ depth: 2 }), steps, (workflow, given) => {
      const simulation = simulate(workflow, { closures });
      const watcher = new Watcher();
      for (const step of given) {
        take(simulation, step);
        const watched = watcher.follow(simulation);
        expect(shown(watched)).toEqual(known(simulation));
        expect(watched.status).toBe(lasting(simulation));
        expect(watched.reason).toBe(summaryOf(simulation.state).reason);
        expect(watched.counts).toEqual(countsOf([...watched.tasks()]));
        const { counts } = checkpointOf(simulation.state);
        expect(watched.counts).toMatchObject(counts);
      }
      const early = watcher.follow(simulation);
      const late = new Watcher().follow(simulation);
      expect([...late.tasks()]).toEqual([...early.tasks()]);
      expect({ ...late.found, counts: late.counts }).toEqual({ ...early.found, counts: early.counts });
    }),
    { numRuns: propertyRuns },
  );
});

test('a definition that is accepted on the way adds what is new and takes away what had not begun', () => {
  const simulation = simulate(
    workflow([task('a'), task('b', { needs: ['a'] }), task('c', { needs: ['a'] })]),
  );
  const changed = workflow([task('c', { needs: ['a'] }), task('a'), task('d', { needs: ['c'] })]);
  const watcher = new Watcher();
  simulation.transition(() => [{ type: 'drift.accepted', data: { workflow: changed } }]);
  expect(shown(watcher.follow(simulation))).toEqual({ a: 'running', c: 'pending', d: 'pending' });
  expect(watcher.run.counts).toMatchObject({ total: 3, running: 1, pending: 2 });
  simulation.drain();
  expect(shown(watcher.follow(simulation))).toEqual({ a: 'succeeded', c: 'succeeded', d: 'succeeded' });
});

test('what a repair holds is held, with what can be done about it; what had settled is not', () => {
  const simulation = simulate(workflow([task('a'), task('b')]));
  simulation.end('a', done);
  const data = { lostFrom: 3, lostTo: 4, held: ['a', 'b'], reason: 'it may have run' };
  simulation.transition(() => [{ type: 'run.repaired', data }]);
  const watched = new Watcher().follow(simulation);
  expect(watched.task('a')).toMatchObject({ status: 'succeeded' });
  expect(watched.task('b')).toMatchObject({
    status: 'held',
    reason: 'it may have run',
    actions: ['logs', 'retry', 'done', 'skip'],
  });
});

/** That a run is held or delayed is told by its tasks. */
function lasting({ status }: Simulation): string {
  return status === 'held' || status === 'delayed' || status === 'stalled' ? 'running' : status;
}
