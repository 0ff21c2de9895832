import { describe, expect, test } from 'vitest';
import { decodeState, encodeState, nextWake, taskAt } from '../../src/kernel/index.ts';
import type { TaskSpec, Workflow } from '../../src/model/index.ts';
import {
  done,
  failedWith,
  interrupted,
  simulate,
  unreachable,
  type Simulation,
} from '../support/simulate.ts';
import { task, tries, workflow } from '../support/workflows.ts';

const breakers = { api: { failures: 2, cooldownMs: 1_000, maxCooldownMs: 3_000 } };

function users(names: readonly string[], given: Partial<TaskSpec> = {}): Workflow {
  return workflow(
    names.map((name) => task(name, { resources: ['api'], ...given })),
    { breakers },
  );
}

/** Two tasks have failed, so the breaker is open; a third one waits. */
function opened(given: Partial<TaskSpec> = {}): Simulation {
  const simulation = simulate(
    workflow(
      ['a', 'b', 'c']
        .map((name) => task(name, { resources: ['api'], ...(name === 'c' && { needs: ['free'] }), ...given }))
        .concat(task('free')),
      { breakers },
    ),
  );
  simulation.end('a', unreachable);
  simulation.end('b', unreachable);
  simulation.end('free', done);
  return simulation;
}

function untilOf({ state, now }: Simulation, address: string): number | undefined {
  const { life } = taskAt(state, address);
  return life.status === 'delayed' ? life.until - now : undefined;
}

describe('a closed breaker', () => {
  test('opens after so many transient failures in a row, of whichever tasks', () => {
    const simulation = simulate(users(['a', 'b']));
    simulation.end('a', unreachable);
    expect(simulation.all('breaker.opened')).toEqual([]);
    expect(simulation.statusOf('a')).toBe('failed');
    simulation.end('b', unreachable);
    expect(simulation.all('breaker.opened').map(({ data }) => data)).toEqual([
      {
        resource: 'api',
        until: simulation.now + 1_000,
        reason: '2 transient failures in a row, the last of b: it is econnreset',
      },
    ]);
  });

  test.for([
    ['a success', done, 0],
    ['a permanent failure', failedWith('HOPELESS', false), 0],
    ['a failure of an unknown kind', failedWith(), 1],
    ['an interruption', interrupted, 1],
  ] as const)('after %s between transient failures knows what it should', ([, between, opens]) => {
    const simulation = simulate(users(['a', 'b', 'c']));
    simulation.end('a', unreachable);
    simulation.end('b', between);
    simulation.end('c', unreachable);
    expect(simulation.all('breaker.opened')).toHaveLength(opens);
  });

  test('of a resource without a policy opens after five, for half a minute', () => {
    const simulation = simulate(
      workflow(['a', 'b', 'c', 'd', 'e'].map((name) => task(name, { resources: ['net'] }))),
    );
    for (const name of ['a', 'b', 'c', 'd']) simulation.end(name, unreachable);
    expect(simulation.all('breaker.opened')).toEqual([]);
    simulation.end('e', unreachable);
    expect(untilOf(simulation, 'e')).toBe(30_000);
  });

  test('counts for each resource of the task by itself', () => {
    const flow = workflow(
      [
        task('a', { resources: ['api', 'disk'] }),
        task('b', { resources: ['api'] }),
        task('c', { resources: ['disk'] }),
      ],
      { breakers: { ...breakers, disk: breakers.api } },
    );
    const simulation = simulate(flow);
    simulation.end('a', unreachable);
    simulation.end('c', done);
    simulation.end('b', unreachable);
    expect(simulation.all('breaker.opened').map(({ data }) => data.resource)).toEqual(['api']);
  });
});

describe('an open breaker', () => {
  test('delays what would start, and says why and until when', () => {
    const simulation = opened();
    expect(taskAt(simulation.state, 'c').life).toEqual({
      status: 'delayed',
      until: simulation.now + 1_000,
      waitsFor: { type: 'resource', resource: 'api' },
      reason: 'the breaker of api is open: 2 transient failures in a row, the last of b: it is econnreset',
    });
    expect(simulation.status).toBe('delayed');
  });

  test('delays what fails transiently without using up its tries', () => {
    const simulation = opened();
    expect(simulation.statuses).toMatchObject({ a: 'failed', b: 'delayed' });
    expect(taskAt(simulation.state, 'b')).toMatchObject({ attempts: 1, tally: { failures: 0 } });
    for (let trials = 0; trials < 20; trials++) {
      simulation.wake();
      simulation.end(simulation.running[0]!, unreachable);
    }
    expect(simulation.statuses).toMatchObject({ b: 'delayed', c: 'delayed' });
  });

  test('delays also the failure of what had started before it opened', () => {
    const simulation = simulate(users(['a', 'b', 'c']));
    for (const name of ['a', 'b', 'c']) simulation.end(name, unreachable);
    expect(simulation.statuses).toEqual({ a: 'failed', b: 'delayed', c: 'delayed' });
    expect(simulation.all('breaker.opened')).toHaveLength(1);
  });

  test.for<[string, Partial<TaskSpec>]>([
    ['with on-interrupt: ask', { onInterrupt: 'ask' }],
    ['whose policy excludes the failure', { retry: tries(3, { notOn: ['ECONNRESET'] }) }],
  ])('does not delay a task %s: it fails', ([, given]) => {
    expect(opened(given).statuses).toMatchObject({ a: 'failed', b: 'failed', c: 'delayed' });
  });

  test('leaves alone who does not use the resource, and takes no slot', () => {
    const flow = workflow(
      [
        task('a', { resources: ['api'], priority: 1 }),
        task('b', { resources: ['api'], priority: 1 }),
        task('c'),
      ],
      { breakers: { api: { ...breakers.api, failures: 1 } }, maxParallel: 1 },
    );
    const simulation = simulate(flow);
    simulation.end('a', unreachable);
    expect(simulation.statuses).toEqual({ a: 'delayed', b: 'delayed', c: 'running' });
  });

  test('does not keep a run from being cancelled, or a task from being skipped', () => {
    const simulation = opened();
    simulation.command({ type: 'skip', task: 'c' });
    simulation.command({ type: 'cancel', reason: 'enough' });
    expect(simulation.status).toBe('cancelled');
  });

  test('is remembered by a snapshot', () => {
    const simulation = opened();
    simulation.state = decodeState(encodeState(simulation.state));
    simulation.wake();
    simulation.end('b', done);
    expect(simulation.running).toEqual(['c']);
  });
});

describe('a half-open breaker', () => {
  test('lets one task try, while the others stay delayed, which needs no word in the journal', () => {
    const simulation = opened();
    const { length } = simulation.events;
    simulation.wake();
    expect(simulation.statuses).toMatchObject({ b: 'running', c: 'delayed' });
    expect(simulation.events.slice(length).map(({ type }) => type)).toEqual(['attempt.started']);
    simulation.end('b', unreachable);
    expect(simulation.events.slice(length + 1).map(({ type }) => type)).toEqual([
      'attempt.ended',
      'task.delayed',
      'breaker.opened',
    ]);
    expect(untilOf(simulation, 'c')).toBe(2_000);
  });

  test('delays what comes to it while another task tries', () => {
    const flow = workflow(
      [task('a', { resources: ['api'] }), task('free'), task('b', { resources: ['api'], needs: ['free'] })],
      { breakers: { api: { ...breakers.api, failures: 1 } } },
    );
    const simulation = simulate(flow);
    simulation.end('a', unreachable);
    simulation.wake();
    simulation.end('free', done);
    expect(taskAt(simulation.state, 'b').life).toEqual({
      status: 'delayed',
      until: simulation.now + 3_000,
      waitsFor: { type: 'resource', resource: 'api' },
      reason: 'the breaker of api is half-open: a tries it first',
    });
    simulation.end('a', done);
    expect(simulation.running).toEqual(['b']);
  });

  test('closes when the trial succeeds, and all that waited start at once', () => {
    const simulation = opened();
    simulation.wake();
    const { now } = simulation;
    simulation.end('b', done);
    expect(simulation.now).toBe(now);
    expect(simulation.all('breaker.closed')).toHaveLength(1);
    expect(simulation.running).toEqual(['c']);
    simulation.end('c', unreachable);
    expect(simulation.statusOf('c')).toBe('failed');
  });

  test('closes also when the trial fails for another reason', () => {
    const simulation = opened();
    simulation.wake();
    simulation.end('b', failedWith());
    expect(simulation.statuses).toMatchObject({ b: 'failed', c: 'running' });
  });

  test('opens again when the trial fails transiently, for twice as long up to the maximum', () => {
    const simulation = opened();
    const cooldowns = Array.from({ length: 4 }, () => {
      simulation.wake();
      const [trial] = simulation.running;
      simulation.end(trial!, unreachable);
      expect(untilOf(simulation, 'b')).toBe(untilOf(simulation, 'c'));
      return untilOf(simulation, trial!);
    });
    expect(cooldowns).toEqual([2_000, 3_000, 3_000, 3_000]);
  });

  test.for([
    ['is interrupted', interrupted],
    ['gives up', { type: 'cancelled', reason: 'it gave up' }],
    ['has to wait for a limit', { type: 'delayed', until: 9e15, reason: 'a limit' }],
  ] as const)('lets another try when the one that tries %s', ([, outcome]) => {
    const simulation = opened();
    simulation.wake();
    simulation.end('b', outcome);
    expect(simulation.running).toHaveLength(1);
    simulation.end(simulation.running[0]!, done);
    expect(simulation.all('breaker.closed')).toHaveLength(1);
  });

  test('lets another try after a death', () => {
    const simulation = opened();
    simulation.wake();
    simulation.crash({ snapshot: true });
    expect(simulation.running).toHaveLength(1);
    expect(simulation.drain().statuses).toMatchObject({ b: 'succeeded', c: 'succeeded' });
  });

  test('lets another try when a repair holds the one that tries', () => {
    const simulation = opened();
    simulation.wake();
    simulation.transition(() => [
      { type: 'run.repaired', data: { lostFrom: 2, lostTo: 3, held: ['b'], reason: 'commits were lost' } },
    ]);
    expect(simulation.statuses).toMatchObject({ b: 'held', c: 'running' });
  });

  test('does not spin, even if its policy has no cooldown at all', () => {
    const flow = workflow(
      ['a', 'b'].map((name) => task(name, { resources: ['api'] })),
      { breakers: { api: { failures: 1, cooldownMs: 0, maxCooldownMs: 0 } } },
    );
    const simulation = simulate(flow);
    simulation.end('a', unreachable);
    expect(simulation.statusOf('a')).toBe('running');
    simulation.end('b', unreachable);
    expect(simulation.statusOf('b')).toBe('delayed');
    simulation.end('a', done);
    expect(simulation.drain().status).toBe('succeeded');
  });
});

describe('a retry by a person', () => {
  test('makes a task try early, although the breaker is open', () => {
    const simulation = opened();
    expect(simulation.command({ type: 'retry', task: 'c' }).accepted).toBe(true);
    expect(simulation.running).toEqual(['c']);
    simulation.end('c', done);
    expect(simulation.running).toEqual(['b']);
  });

  test('is refused while another task tries', () => {
    const simulation = opened();
    simulation.wake();
    expect(simulation.command({ type: 'retry', task: 'c' })).toEqual({
      accepted: false,
      text: 'c waits for b, which tries whether what both use works again',
    });
  });
});

describe('a clock that is set', () => {
  function jump(simulation: Simulation, ms: number): void {
    simulation.now += ms;
    simulation.transition(() => [{ type: 'clock.jumped', data: { ms } }]);
  }

  test('back moves what is delayed and open breakers along', () => {
    const simulation = opened();
    jump(simulation, -86_400_000);
    expect(untilOf(simulation, 'c')).toBe(1_000);
    expect(nextWake(simulation.state)).toBe(simulation.now + 1_000);
    simulation.wake();
    expect(simulation.running).toEqual(['b']);
  });

  test('forward moves nothing: what is due then may start', () => {
    const simulation = simulate(workflow([task('a', { retry: tries(2) })]));
    simulation.end('a', failedWith());
    const before = taskAt(simulation.state, 'a').life;
    jump(simulation, 500);
    expect(taskAt(simulation.state, 'a').life).toEqual(before);
    jump(simulation, 500);
    expect(simulation.running).toEqual(['a']);
  });
});
