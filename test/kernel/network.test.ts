import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../src/model/index.ts';
import { done, failedWith, interrupted, simulate } from '../support/simulate.ts';
import { agentTask, tries, workflow } from '../support/workflows.ts';

type Simulation = ReturnType<typeof simulate>;

const message = 'Claude Code: connect ECONNREFUSED api.example:443';
const unreachable: Outcome = {
  type: 'failed',
  failure: { code: 'AGENT_FAILED', message, retryable: true, class: 'transient', network: true },
  sameness: 'the same',
};

const three = (agents: readonly string[] = ['claude']): ReturnType<typeof workflow> =>
  workflow(['a', 'b', 'c'].map((name) => agentTask(name, agents)));

/** Fails every attempt until nothing more happens by itself. */
function failOn(simulation: Simulation): Simulation {
  for (let rounds = 0; rounds < 100 && !simulation.isOver; rounds++) {
    for (const address of simulation.running) simulation.end(address, unreachable);
    if (!simulation.isOver) simulation.wake();
  }
  return simulation;
}

function startsByTask(simulation: Simulation): Record<string, number> {
  const starts: Record<string, number> = {};
  for (const { task } of simulation.all('attempt.started')) starts[task] = (starts[task] ?? 0) + 1;
  return starts;
}

describe('a failure of the network', () => {
  test.each([['abc'], ['bca'], ['cba']])('means the same for all that meet it, in the order %s', (order) => {
    const simulation = simulate(three());
    for (const address of order) simulation.end(address, unreachable);
    expect(simulation.statuses).toEqual({ a: 'delayed', b: 'delayed', c: 'delayed' });
    const waits = simulation.all('task.delayed').map(({ data }) => data.until - simulation.now);
    expect(new Set(waits).size).toBe(1);

    simulation.wake();
    expect(simulation.running).toEqual(['a', 'b', 'c']);
    for (const address of order) simulation.end(address, done);
    expect(simulation.status).toBe('succeeded');
  });

  test('is tried again at growing intervals, so often and so long, and then fails with what was told', () => {
    const simulation = simulate(three());
    const begun = simulation.now;
    failOn(simulation);
    expect(simulation.status).toBe('failed');
    expect(startsByTask(simulation)).toEqual({ a: 11, b: 11, c: 11 });
    const waits = simulation
      .all('task.delayed')
      .filter(({ task }) => task === 'a')
      .map(({ data }) => data.reason);
    expect(waits).toHaveLength(10);
    expect(waits[1]).toBe(`the network has failed 2 times in a row: ${message}`);
    expect(simulation.now - begun).toBeLessThan(30 * 60_000);
    const [failed] = simulation.all('task.failed');
    expect(failed!.data.failure.message).toBe(`${message} (the network has failed 11 times in 23 min)`);
  });

  test('is given up after half an hour, however few tries that were', () => {
    const simulation = simulate(workflow([agentTask('a', ['claude'])]));
    simulation.end('a', unreachable);
    simulation.now += 31 * 60_000;
    simulation.transition();
    simulation.end('a', unreachable);
    expect(simulation.status).toBe('failed');
  });

  test('uses up no try of the task, and is no proof that it makes no progress', () => {
    const simulation = simulate(workflow([agentTask('a', ['claude'], { retry: tries(2) })]));
    for (let time = 0; time < 5; time++) {
      simulation.end('a', unreachable);
      simulation.wake();
    }
    simulation.end('a', failedWith('AGENT_FAILED'));
    expect(simulation.statusOf('a')).toBe('delayed');
    simulation.wake();
    simulation.end('a', unreachable);
    const last = simulation.all('task.delayed').at(-1)!;
    expect(last.data.reason).toBe(`the network has failed 1 time in a row: ${message}`);
  });

  test('is counted through a crash and a snapshot', () => {
    const simulation = simulate(workflow([agentTask('a', ['claude'])]));
    for (let time = 0; time < 3; time++) {
      simulation.end('a', unreachable);
      simulation.wake();
    }
    simulation.crash({ snapshot: true });
    simulation.end('a', unreachable);
    expect(simulation.all('task.delayed').at(-1)!.data.reason).toContain('4 times');
  });

  test('begins a new count when a person does not want to wait', () => {
    const simulation = simulate(workflow([agentTask('a', ['claude'])]));
    simulation.end('a', unreachable);
    simulation.command({ type: 'retry', task: 'a' });
    expect(simulation.running).toEqual(['a']);
    simulation.end('a', unreachable);
    expect(simulation.all('task.delayed').at(-1)!.data.reason).toContain('1 time in');
  });

  test('lets another agent take over after three of them, and the first one go on if there is no other', () => {
    const simulation = simulate(three(['claude', 'codex']));
    for (const address of 'abc') simulation.end(address, unreachable);
    simulation.wake();
    const agents = simulation.all('attempt.started').map(({ data }) => data.agent!.name);
    expect(agents.slice(3)).toEqual(['codex', 'codex', 'codex']);
    for (const address of 'abc') simulation.end(address, unreachable);
    simulation.wake();
    expect(simulation.all('attempt.started').at(-1)!.data.agent!.name).toBe('claude');
  });

  test.each([
    ['must not be repeated unasked', { onInterrupt: 'ask' as const }],
    ['says that this is not tried again', { retry: { ...tries(3), notOn: ['/ECONNREFUSED/'] } }],
    ['says that it is permanent', { errors: [{ match: '/ECONNREFUSED/', class: 'permanent' as const }] }],
  ])('is final for a task that %s', (_, spec) => {
    const simulation = simulate(workflow([agentTask('a', ['claude'], spec)]));
    simulation.end('a', unreachable);
    expect(simulation.statusOf('a')).toBe('failed');
  });

  test('is not forgotten because Piton died in between', () => {
    const simulation = simulate(workflow([agentTask('a', ['claude'])]));
    simulation.end('a', unreachable);
    simulation.wake();
    simulation.end('a', interrupted);
    simulation.end('a', unreachable);
    expect(simulation.all('task.delayed').at(-1)!.data.reason).toContain('2 times');
  });
});
