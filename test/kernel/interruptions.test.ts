import { expect, test } from 'vitest';
import { decodeState, encodeState, foldCommit, interruptionOf, taskAt } from '../../src/kernel/index.ts';
import { done, failedWith, interrupted, simulate } from '../support/simulate.ts';
import { body, task, tries, uses, workflow } from '../support/workflows.ts';

const lone = workflow([task('a', { retry: tries(2) })]);

test('a task that was interrupted is tried again at once, with the same key and the next number', () => {
  const simulation = simulate(lone).crash();
  expect(simulation.all('attempt.started').map(({ attempt, data }) => [attempt, data.number])).toEqual([
    ['try-1', 1],
    ['try-2', 2],
  ]);
  expect(taskAt(simulation.state, 'a')).toMatchObject({ key: 'try-1', lastAttempt: 'try-2', attempts: 2 });
});

test('interruptions do not use up the tries that a task has', () => {
  const simulation = simulate(lone);
  for (let deaths = 0; deaths < 5; deaths++) simulation.crash();
  simulation.end('a', failedWith());
  expect(simulation.statusOf('a')).toBe('delayed');
  simulation.wake();
  simulation.end('a', failedWith());
  expect(simulation.statusOf('a')).toBe('failed');
});

test('failures do not count as interruptions, nor interruptions as failures', () => {
  const simulation = simulate(lone).crash();
  simulation.end('a', failedWith());
  expect(taskAt(simulation.state, 'a')).toMatchObject({ tally: { failures: 1, interruptions: 1 } });
});

test('the tenth interruption in a row holds the task: it may be what ends the process', () => {
  const simulation = simulate(lone);
  for (let deaths = 0; deaths < 9; deaths++) simulation.crash();
  expect(simulation.running).toEqual(['a']);
  simulation.crash();
  expect(simulation.statusOf('a')).toBe('held');
  expect(simulation.status).toBe('held');
});

test('progress of any task begins the count of interruptions anew', () => {
  const simulation = simulate(workflow([task('a'), task('b')]));
  for (let deaths = 0; deaths < 9; deaths++) simulation.crash();
  simulation.end('b', done);
  for (let deaths = 0; deaths < 9; deaths++) simulation.crash();
  expect(simulation.running).toEqual(['a']);
});

test('a retry by the operator begins the count of interruptions anew', () => {
  const simulation = simulate(lone);
  for (let deaths = 0; deaths < 10; deaths++) simulation.crash();
  simulation.command({ type: 'retry', task: 'a' });
  for (let deaths = 0; deaths < 9; deaths++) simulation.crash();
  expect(simulation.running).toEqual(['a']);
});

test('an interruption because the driver was asked to stop does not count', () => {
  const simulation = simulate(lone);
  for (let stops = 0; stops < 20; stops++) simulation.end('a', { ...interrupted, graceful: true });
  expect(simulation.running).toEqual(['a']);
  expect(taskAt(simulation.state, 'a').tally.interruptions).toBe(0);
});

test('with on-interrupt: ask a single interruption holds the task, even a graceful one', () => {
  const flow = workflow([task('push', { onInterrupt: 'ask' })]);
  expect(simulate(flow).crash().statusOf('push')).toBe('held');
  const stopped = simulate(flow);
  stopped.end('push', { ...interrupted, graceful: true });
  expect(stopped.statusOf('push')).toBe('held');
});

test('with on-interrupt: ask a failure is final, whatever the retry policy says', () => {
  const simulation = simulate(workflow([task('push', { onInterrupt: 'ask', retry: tries(5) })]));
  simulation.end('push', failedWith());
  expect(simulation.statusOf('push')).toBe('failed');
});

test('an attempt inside nested workflows is interrupted and tried again where it was', () => {
  const inner = workflow([task('x'), task('y', { needs: ['x'] })]);
  const simulation = simulate(
    workflow([task('outer', { work: body(workflow([task('mid', { work: uses(inner) })])) })]),
  );
  simulation.end('outer.mid.x', done);
  simulation.crash({ snapshot: true });
  expect(simulation.running).toEqual(['outer.mid.y']);
  expect(simulation.drain().status).toBe('succeeded');
});

test('repairing a damaged journal holds what may have been done, and only that', () => {
  const flow = workflow([
    task('settled'),
    task('running'),
    task('waiting', { needs: ['running'] }),
    task('outer', { work: uses(workflow([task('x')])) }),
  ]);
  const simulation = simulate(flow);
  simulation.end('settled', done);
  const held = ['settled', 'running', 'waiting', 'outer', 'outer.x'];
  simulation.transition(() => [
    { type: 'run.repaired', data: { lostFrom: 3, lostTo: 4, held, reason: 'commits 3 to 4 were lost' } },
  ]);
  expect(simulation.statuses).toEqual({
    settled: 'succeeded',
    running: 'held',
    waiting: 'held',
    outer: 'running',
    'outer.x': 'held',
  });
  for (const address of ['running', 'waiting', 'outer.x'])
    simulation.command({ type: 'retry', task: address });
  expect(simulation.statusOf('waiting')).toBe('pending');
  expect(simulation.drain().status).toBe('succeeded');
});

const process = { host: 'here', bootId: 'boot', pidNamespace: 'pid:[1]', pid: 7, startTime: '42' };

test('an attempt knows the process that was started for it, and how it was found again', () => {
  const simulation = simulate(lone);
  const named = { task: 'a', attempt: 'try-1' };
  simulation.transition(() => [{ type: 'attempt.spawned', ...named, data: { process } }]);
  simulation.transition(() => [{ type: 'attempt.recovered', ...named, data: { how: 'adopted' } }]);
  for (const state of [simulation.state, simulation.replayed(), decodeState(encodeState(simulation.state))]) {
    expect(taskAt(state, 'a').life).toEqual({
      status: 'running',
      attempt: { id: 'try-1', number: 1, startedAt: simulation.now, process, recovered: 'adopted' },
    });
  }
  simulation.end('a', done);
  expect(simulation.status).toBe('succeeded');
});

test('a run knows where it was started', () => {
  const origin = { directory: '/home/me/project', file: 'ship.yaml', only: ['a'] };
  const commit = {
    run: 'run',
    seq: 1,
    at: 0,
    epoch: 1,
    version: 1,
    events: [{ type: 'run.created', data: { workflow: lone, inputs: {}, origin } }],
  } as const;
  const state = foldCommit(undefined, commit);
  expect(state.origin).toEqual(origin);
  expect(decodeState(encodeState(state)).origin).toEqual(origin);
});

test('an attempt that never began is neither held nor counted, even with on-interrupt: ask', () => {
  const simulation = simulate(workflow([task('push', { onInterrupt: 'ask' })]));
  for (let deaths = 0; deaths < 20; deaths++) simulation.end('push', { ...interrupted, neverBegan: true });
  expect(simulation.running).toEqual(['push']);
  expect(taskAt(simulation.state, 'push')).toMatchObject({ tally: { interruptions: 0 }, key: 'try-1' });
  expect(simulation.all('attempt.ended')[0]!.data).toMatchObject({
    outcome: 'interrupted',
    neverBegan: true,
  });
});

test('what an interruption would mean can be told before it has happened', () => {
  const flow = workflow([task('push', { onInterrupt: 'ask' }), task('a')], { failFast: true });
  const simulation = simulate(flow);
  const told = (address: string) => interruptionOf(simulation.state, taskAt(simulation.state, address));
  expect(told('a')).toEqual({ action: 'restart', reason: 'it was interrupted, and may be started again' });
  expect(told('push')).toEqual({
    action: 'hold',
    reason: 'it was interrupted, and may have done its work: on-interrupt is ask',
  });
  for (let deaths = 0; deaths < 9; deaths++) simulation.end('a', interrupted);
  expect(told('a')).toMatchObject({ action: 'hold' });
  simulation.end('a', failedWith());
  expect(told('push')).toEqual({ action: 'hold', reason: 'it is not started again: a failed' });
});
