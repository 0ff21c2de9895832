/** What the kernel looks at, by the size of a workflow. */
import { describe, expect, test } from 'vitest';
import {
  isFinal,
  type Event,
  type Outcome,
  type RunStatus,
  type TaskSpec,
  type Workflow,
} from '../../src/model/index.ts';
import { countWork } from '../support/count-work.ts';
import { done, failedWith, simulate, unreachable } from '../support/simulate.ts';
import { stubEvaluator } from '../support/stub-evaluator.ts';
import { body, forEach, graph, node, task, tries, uses, workflow } from '../support/workflows.ts';

function tasks(count: number, spec: (index: number) => Partial<TaskSpec>): TaskSpec[] {
  return Array.from({ length: count }, (_, index) => task(`t${index}`, spec(index)));
}

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `t${index}`);

/** Ends attempts in the order they were started; hands each transition over. */
function drive(flow: Workflow, { seen, outcome = done }: { seen: Seen; outcome?: Outcome }): RunStatus {
  const evaluator = stubEvaluator();
  const simulation = simulate(flow, { evaluator });
  const work = countWork(simulation.state);
  const started: string[] = [];
  const take = (events: readonly Event[]): void => {
    for (const event of events) if (event.type === 'attempt.started') started.push(event.task);
  };
  take(simulation.journal[0]!.events);
  for (let next = 0; next < started.length || simulation.status === 'delayed'; next++) {
    const before = work.looks + evaluator.calls;
    const known = simulation.journal.length;
    if (next < started.length) simulation.end(started[next]!, outcome);
    else next -= simulation.wake() ? 1 : 0;
    const events = simulation.journal.slice(known).flatMap((commit) => commit.events);
    take(events);
    seen(work.looks + evaluator.calls - before, events.length);
  }
  expect(isFinal(simulation.status)).toBe(true);
  return simulation.status;
}

type Seen = (looks: number, events: number) => void;

/** The most that any transition looked at for each event it decided. */
function worst(flow: Workflow): number {
  let most = 0;
  const seen: Seen = (looks, events) => (most = Math.max(most, looks / events));
  drive(flow, { seen });
  return most;
}

const shapes: Readonly<Record<string, (size: number) => Workflow>> = {
  'a chain': (size) => workflow(tasks(size, (index) => ({ needs: index === 0 ? [] : [`t${index - 1}`] }))),
  'a fan-out': (size) =>
    workflow([task('root'), ...tasks(size, () => ({ needs: ['root'], if: 'success()' }))]),
  'a fan-in': (size) => workflow([...tasks(size, () => ({})), task('last', { needs: names(size) })]),
  'a queue for a few slots': (size) =>
    workflow(
      tasks(size, () => ({})),
      { maxParallel: 3 },
    ),
  'a queue for one lock': (size) => workflow(tasks(size, () => ({ locks: ['x'] }))),
  'a queue for two locks and both': (size) =>
    workflow(
      tasks(size, (index) => ({ locks: [['x'], ['y'], ['x', 'y']][index % 3]! })),
      { maxParallel: 2 },
    ),
  'a for-each with bodies': (size) =>
    workflow([
      task('each', {
        forEach: forEach(names(size), { maxParallel: 5 }),
        work: body(workflow([task('x'), task('y', { needs: ['x'], if: 'success()' })])),
      }),
    ]),
  'nested workflows': (size) =>
    workflow(
      tasks(size, () => ({ work: uses(workflow([task('x')], { failFast: true })) })),
      { failFast: true },
    ),
  'tasks that use a resource': (size) => workflow(tasks(size, () => ({ resources: ['api', 'disk'] }))),
  'a graph that goes round until it may not': (size) =>
    graph([node('a', [{ if: 'state.full', to: 'end' }, { to: 'a' }])], {
      maxSteps: size,
      state: { full: false },
    }),
};

/** All that a run looked at of which every attempt fails, for each event of it. */
function average(flow: Workflow): number {
  let [looks, events] = [0, 0];
  drive(flow, {
    outcome: failedWith(),
    seen: (more, decided) => {
      looks += more;
      events += decided;
    },
  });
  return looks / events;
}

interface Sizes {
  /** Of workflows whose transitions are counted. */
  readonly large: number;
  /** Of workflows that are to come to their end. */
  readonly many: number;
}

export function describeCost({ large, many }: Sizes): void {
  describe('what one decision looks at', () => {
    test.for(Object.entries(shapes))(
      `is little, and the same for 100 tasks and for ${large}, in %s`,
      ([, shape]) => {
        const [few, most] = [worst(shape(100)), worst(shape(large))];
        expect(few).toBeLessThan(20);
        expect(most).toBeLessThan(few * 1.1);
      },
    );
  });

  describe('what a whole run looks at', () => {
    const failing: Readonly<Record<string, (size: number) => Workflow>> = {
      'fail-fast in nested workflows': (size) =>
        workflow(
          tasks(size, () => ({
            work: uses(
              workflow(
                tasks(2, () => ({})),
                { failFast: true },
              ),
            ),
          })),
          { failFast: true },
        ),
      'a for-each of which all items fail': (size) =>
        workflow([task('each', { forEach: forEach(names(size)) })]),
      'items that read many tasks': (size) =>
        workflow([
          ...tasks(size, () => ({ continueOnError: true })),
          task('each', {
            needs: names(size),
            forEach: forEach(names(size)),
            work: body(workflow([task('x', { if: 'success()' })])),
          }),
        ]),
      'tasks that read the items of a for-each': (size) =>
        workflow([
          task('each', { forEach: forEach(names(size), { maxFailures: size }) }),
          ...tasks(size, () => ({ needs: ['each'], if: 'success()' })),
        ]),
      'tasks that are tried again': (size) => workflow(tasks(size, () => ({ retry: tries(2) }))),
    };

    test.for(Object.entries(failing))('grows in step with what happens, in %s', ([, shape]) => {
      expect(average(shape(large / 5))).toBeLessThan(average(shape(200)) * 1.1);
    });
  });

  describe(`${many} tasks`, () => {
    test('in layers come to their end', () => {
      const layered = workflow(
        tasks(many, (index) => ({ needs: index < 100 ? [] : [`t${index - 100}`, `t${index - 50}`] })),
        { maxParallel: 50 },
      );
      expect(drive(layered, { seen: () => {} })).toBe('succeeded');
    });

    test('in a chain are skipped after a failure of the first, without running out of stack', () => {
      const chain = workflow(tasks(many, (index) => ({ needs: index === 0 ? [] : [`t${index - 1}`] })));
      const simulation = simulate(chain);
      simulation.end('t0', failedWith());
      expect(simulation.all('task.skipped')).toHaveLength(many - 1);
      expect(simulation.status).toBe('failed');
    });

    test('in a chain are done again, without running out of stack', () => {
      const chain = workflow(tasks(many, (index) => ({ needs: index === 0 ? [] : [`t${index - 1}`] })));
      const simulation = simulate(chain);
      simulation.end('t0', failedWith());
      simulation.reopen('t0');
      expect(simulation.all('tasks.reopened')[0]!.data.tasks).toHaveLength(many);
      expect(simulation.running).toEqual(['t0']);
    });

    test('that wait for a resource start together when it works again', () => {
      const flow = workflow(
        tasks(many, (index) => ({ resources: ['api'], needs: index < 2 ? [] : ['t1'] })),
        { breakers: { api: { failures: 1, cooldownMs: 1_000, maxCooldownMs: 1_000 } } },
      );
      const simulation = simulate(flow);
      simulation.end('t0', unreachable);
      simulation.end('t1', done);
      expect(simulation.status).toBe('delayed');
      simulation.wake();
      expect(simulation.running).toEqual(['t0']);
      simulation.end('t0', done);
      expect(simulation.running).toHaveLength(many - 2);
    });

    test('that wait are cancelled together', () => {
      const simulation = simulate(
        workflow(
          tasks(many, () => ({})),
          { maxParallel: 1 },
        ),
      );
      simulation.command({ type: 'cancel', reason: 'enough' });
      simulation.end('t0', done);
      expect(simulation.all('task.cancelled')).toHaveLength(many - 1);
      expect(simulation.status).toBe('cancelled');
    });
  });
}
