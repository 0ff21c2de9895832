import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { summaryOf, viewOf } from '../../src/kernel/index.ts';
import { countTasks, foldEvent, newRunView, type RunView } from '../../src/interfaces/cli/progress/index.ts';
import type { RunEvent } from '../../src/engine/index.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { steps, take } from '../support/random-lives.ts';
import { closures, nestedWorkflows } from '../support/random-workflows.ts';
import { done, simulate, type Simulation } from '../support/simulate.ts';
import { task, workflow } from '../support/workflows.ts';

function follow(view: RunView, { journal }: Simulation): void {
  for (const { run, seq, at, events } of journal.slice(view.seq))
    for (const event of events) foldEvent(view, { ...event, run, seq, at } as RunEvent);
}

/** Whether what has not begun waits for another task or for a free slot is not told by an event. */
function waiting(status: string): string {
  return status === 'queued' ? 'pending' : status;
}

function known({ state }: Simulation): Record<string, string> {
  return Object.fromEntries(
    Array.from(state.tasks.values(), (task) => [task.address, waiting(viewOf(state, task).status)] as const),
  );
}

function shown({ lines }: RunView): Record<string, string> {
  return Object.fromEntries(
    Array.from(lines.values(), ({ address, status }) => [address, waiting(status)] as const),
  );
}

test('the view of a run shows of each task what the run itself knows, whatever happens', () => {
  fc.assert(
    fc.property(nestedWorkflows({ depth: 2 }), steps, (workflow, given) => {
      const simulation = simulate(workflow, { closures });
      const view = newRunView('run');
      for (const step of given) {
        take(simulation, step);
        follow(view, simulation);
        expect(shown(view)).toEqual(known(simulation));
        expect(view.status).toBe(lasting(simulation));
        expect(view.reason).toBe(summaryOf(simulation.state).reason);
        expect(counted(view)).toEqual(countTasks(view));
      }
    }),
    { numRuns: propertyRuns },
  );
});

test('a definition that is accepted on the way adds what is new and takes away what had not begun', () => {
  const simulation = simulate(
    workflow([task('a'), task('b', { needs: ['a'] }), task('c', { needs: ['a'] })]),
  );
  const changed = workflow([task('c', { needs: ['a'] }), task('a'), task('d', { needs: ['c'] })]);
  const view = newRunView('run');
  simulation.transition(() => [{ type: 'drift.accepted', data: { workflow: changed } }]);
  follow(view, simulation);
  expect(shown(view)).toEqual({ a: 'running', c: 'pending', d: 'pending' });
  expect(countTasks(view)).toMatchObject({ total: 3, running: 1, pending: 2 });
  simulation.drain();
  follow(view, simulation);
  expect(shown(view)).toEqual({ a: 'succeeded', c: 'succeeded', d: 'succeeded' });
});

test('what a repair holds is held, with what can be done about it; what had settled is not', () => {
  const simulation = simulate(workflow([task('a'), task('b')]));
  simulation.end('a', done);
  const view = newRunView('run');
  const data = { lostFrom: 3, lostTo: 4, held: ['a', 'b'], reason: 'it may have run' };
  simulation.transition(() => [{ type: 'run.repaired', data }]);
  follow(view, simulation);
  expect(view.lines.get('a')).toMatchObject({ status: 'succeeded' });
  expect(view.lines.get('b')).toMatchObject({
    status: 'held',
    reason: 'it may have run',
    actions: ['retry', 'skip'],
  });
});

/** That a run is held or delayed is told by its tasks. */
function lasting({ status }: Simulation): string {
  return status === 'held' || status === 'delayed' || status === 'stalled' ? 'running' : status;
}

/** The counts, by looking at every line. */
function counted(view: RunView): ReturnType<typeof countTasks> {
  const copy = newRunView('copy');
  for (const line of view.lines.values()) {
    if (line.isGroup) continue;
    copy.counts[line.status]++;
    copy.counts.total++;
  }
  return countTasks(copy);
}
