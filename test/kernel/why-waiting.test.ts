import { describe, expect, test } from 'vitest';
import { taskAt, whyWaiting, type Waiting } from '../../src/kernel/index.ts';
import type { Origin } from '../../src/model/index.ts';
import {
  done,
  failedWith,
  interrupted,
  simulate,
  unreachable,
  type Simulation,
} from '../support/simulate.ts';
import { agentTask, checkOf, command, task, tries, workflow } from '../support/workflows.ts';

function why({ state }: Simulation, address: string): Waiting | undefined {
  return whyWaiting(state)(taskAt(state, address));
}

const repository = { root: '/project', commonDir: '/project/.git', base: 'c0', prefix: '' };
const origin: Origin = { directory: '/project', repository };
const items = { in: ['x', 'y'], as: 'item', matrix: false, maxFailures: 0 };

describe('a task waits', () => {
  test('for the tasks that it needs and that have not settled', () => {
    const simulation = simulate(workflow([task('a'), task('b'), task('c', { needs: ['a', 'b'] })]));
    simulation.end('a', done);
    expect(why(simulation, 'c')).toEqual({ for: 'needs', tasks: ['b'] });
  });

  test('for the run to be resumed', () => {
    const simulation = simulate(workflow([task('a'), task('b', { needs: ['a'] })]));
    simulation.command({ type: 'pause', reason: 'lunch' });
    simulation.end('a', done);
    expect(why(simulation, 'b')).toEqual({ for: 'resume', reason: 'lunch' });
  });

  test('for room among those that may run at once', () => {
    const simulation = simulate(workflow([task('a'), task('b')], { maxParallel: 1 }));
    expect(why(simulation, 'b')).toEqual({ for: 'parallelism', heldBy: ['a'] });
  });

  test('for a lock, by its name', () => {
    const simulation = simulate(workflow([task('a', { locks: ['db'] }), task('b', { locks: ['db'] })]));
    expect(why(simulation, 'b')).toEqual({ for: 'lock', name: 'db', heldBy: ['a'] });
  });

  test('for another item of its for-each', () => {
    const flow = workflow([task('all', { forEach: { ...items, maxParallel: 1 } })]);
    const expected = { for: 'items', name: 'all', heldBy: ['all[x]'] };
    expect(why(simulate(flow), 'all[y]')).toEqual(expected);
  });

  test('for a place of its pool', () => {
    const flow = workflow([agentTask('all', ['claude'], { forEach: items, pool: 1 })]);
    const expected = { for: 'pool', name: 'all', heldBy: ['all[x]'] };
    expect(why(simulate(flow, { origin }), 'all[y]')).toEqual(expected);
  });

  test('for its turn to merge, also while the merge of another is checked', () => {
    const check = checkOf(1);
    const flow = workflow([agentTask('a', ['claude'], { check }), agentTask('b', ['claude'], { check })]);
    const simulation = simulate(flow, { origin });
    for (const name of ['a', 'b']) {
      const data = { path: `/trees/${name}`, branch: name, base: 'c0', token: name };
      simulation.transition(() => [{ type: 'workspace.prepared', task: name, data }]);
    }
    for (const name of ['a', 'b', 'a', 'b']) simulation.end(name, done);
    const expected = { for: 'merge', heldBy: ['a'] };
    expect(why(simulation, 'b')).toEqual(expected);
    const proposed = { result: 'c1', commit: 'c3', onto: 'c0', members: [] };
    simulation.end('a', { type: 'succeeded', proposed });
    expect(why(simulation, 'b')).toEqual(expected);
  });

  test('for the folder that others write in', () => {
    const folder = { directory: '/somewhere' };
    const flow = workflow([agentTask('a', ['claude']), task('b', { work: command('make') })]);
    const expected = { for: 'folder', heldBy: ['a'] };
    expect(why(simulate(flow, { origin: folder }), 'b')).toEqual(expected);
  });

  test('for the time of its next try', () => {
    const simulation = simulate(workflow([task('a', { retry: tries(2) })]));
    simulation.end('a', failedWith());
    expect(why(simulation, 'a')).toEqual({
      for: 'time',
      until: simulation.now + 1_000,
      reason: 'attempt 1 failed: it is broken',
    });
  });

  test('for a resource that is out of order, and for whoever tries it', () => {
    const breakers = { api: { failures: 1, cooldownMs: 1_000, maxCooldownMs: 3_000 } };
    const resources = ['api'];
    const flow = workflow([task('a', { resources }), task('b'), task('c', { resources, needs: ['b'] })], {
      breakers,
    });
    const simulation = simulate(flow);
    simulation.end('a', unreachable);
    const until = simulation.now + 1_000;
    expect(why(simulation, 'a')).toMatchObject({ for: 'resource', resource: 'api', until });
    simulation.wake();
    simulation.end('b', done);
    expect(why(simulation, 'c')).toMatchObject({ for: 'resource', resource: 'api', triedBy: 'a' });
  });

  test('for its agents, all of which are at their limit', () => {
    const simulation = simulate(workflow([agentTask('a', ['claude'])]));
    const until = simulation.now + 60_000;
    simulation.end('a', { type: 'delayed', agent: 'claude', until, reason: 'the usage limit is reached' });
    expect(why(simulation, 'a')).toEqual({
      for: 'agents',
      agents: ['claude'],
      until,
      reason: 'the usage limit is reached',
    });
  });

  test('for a budget that a person raises, or for the next day', () => {
    const budget = simulate(workflow([agentTask('a', ['claude'])], { budget: { usd: 0 } }));
    const reason = expect.stringContaining('is used up') as string;
    expect(why(budget, 'a')).toEqual({ for: 'budget', reason });
    const day = simulate(workflow([task('f'), agentTask('a', ['claude'], { needs: ['f'] })]));
    day.budgetPerDay = { usd: 1 };
    day.elsewhere = { ...day.elsewhere, usd: 1 };
    day.end('f', done);
    const { until } = taskAt(day.state, 'a').life as { until: number };
    expect(why(day, 'a')).toEqual({ for: 'budget', reason, until, day: expect.any(String) });
  });

  test('for an approval, of its start or of a call', () => {
    const approval = simulate(workflow([task('a', { approval: 'Release it?' })]));
    const gate = expect.any(String) as string;
    expect(why(approval, 'a')).toEqual({ for: 'approval', gate, text: 'Release it?' });
    const asking = simulate(workflow([agentTask('a', ['claude'])]));
    const call = { tool: 'Bash', input: {} };
    asking.end('a', { type: 'asked', text: 'may I?', call });
    expect(why(asking, 'a')).toEqual({ for: 'approval', gate, text: 'may I?', call });
  });

  test('for a session that a person has open', () => {
    const simulation = simulate(workflow([agentTask('a', ['claude'], { onInterrupt: 'ask' })]));
    const { id } = (taskAt(simulation.state, 'a').life as { attempt: { id: string } }).attempt;
    simulation.transition(() => [
      { type: 'session.opened', task: 'a', attempt: id, data: { agent: 'claude', session: 's' } },
    ]);
    simulation.end('a', interrupted);
    simulation.command({ type: 'lend', task: 'a', token: 't', session: 's', from: 1, host: 'h', pid: 1 });
    simulation.command({ type: 'retry', task: 'a' });
    expect(why(simulation, 'a')).toEqual({
      for: 'session',
      session: 's',
      reason: 'its session is open in process 1 on h',
    });
  });

  test('for a person, who is told what can be done', () => {
    const simulation = simulate(workflow([task('a', { onInterrupt: 'ask' })]));
    simulation.end('a', interrupted);
    expect(why(simulation, 'a')).toEqual({
      for: 'person',
      reason: 'it was interrupted, and may have done its work: on-interrupt is ask',
      actions: ['retry', 'done', 'skip'],
    });
  });

  test('for nothing while it runs, when it has settled, and when only nobody drives the run', () => {
    const simulation = simulate(workflow([task('a'), task('b', { needs: ['a'] })]));
    expect(why(simulation, 'a')).toBeUndefined();
    simulation.mayStart = false;
    simulation.end('a', done);
    expect([why(simulation, 'a'), why(simulation, 'b')]).toEqual([undefined, undefined]);
  });
});
