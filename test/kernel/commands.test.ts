import { describe, expect, test } from 'vitest';
import { taskAt, nextWake, summaryOf } from '../../src/kernel/index.ts';
import { done, failedWith, interrupted, simulate, type Simulation } from '../support/simulate.ts';
import { body, forEach, graph, node, task, tries, uses, workflow } from '../support/workflows.ts';

const chain = workflow([task('a'), task('b', { needs: ['a'] })]);
const risky = workflow([task('push', { onInterrupt: 'ask' }), task('after', { needs: ['push'] })]);

function heldPush(): Simulation {
  const simulation = simulate(risky);
  simulation.end('push', interrupted);
  return simulation;
}

describe('pause and resume', () => {
  test('while a run is paused what runs may end, but nothing starts', () => {
    const simulation = simulate(chain);
    expect(simulation.command({ type: 'pause', reason: 'lunch' }).accepted).toBe(true);
    simulation.end('a', done);
    expect(simulation.status).toBe('paused');
    expect(simulation.statuses).toEqual({ a: 'succeeded', b: 'queued' });
    simulation.command({ type: 'resume' });
    expect(simulation.running).toEqual(['b']);
  });

  test('a scope is not opened and a timer does not wake while a run is paused', () => {
    const simulation = simulate(
      workflow([task('a', { retry: tries(2) }), task('b', { needs: ['a'], work: uses(chain) })]),
    );
    simulation.end('a', failedWith());
    simulation.command({ type: 'pause' });
    expect(nextWake(simulation.state)).toBeUndefined();
    simulation.now += 1_000_000;
    simulation.transition();
    expect(simulation.running).toEqual([]);
    simulation.command({ type: 'resume' });
    expect(simulation.running).toEqual(['a']);
  });

  test('a paused run whose last attempt ends has ended', () => {
    const simulation = simulate(workflow([task('a')]));
    simulation.command({ type: 'pause' });
    simulation.end('a', done);
    expect(simulation.status).toBe('succeeded');
  });

  test('pausing twice and resuming what is not paused are refused', () => {
    const simulation = simulate(chain);
    expect(simulation.command({ type: 'resume' })).toEqual({
      accepted: false,
      text: 'the run is not paused',
    });
    simulation.command({ type: 'pause' });
    expect(simulation.command({ type: 'pause' })).toEqual({
      accepted: false,
      text: 'the run is paused already',
    });
  });

  test('a driver that may start nothing goes on deciding and starts when it may', () => {
    const simulation = simulate(chain);
    simulation.mayStart = false;
    simulation.end('a', done);
    expect(simulation.statuses).toEqual({ a: 'succeeded', b: 'queued' });
    expect(simulation.status).toBe('running');
    simulation.mayStart = true;
    simulation.transition();
    expect(simulation.running).toEqual(['b']);
  });
});

describe('cancel', () => {
  test('what has not begun is cancelled at once, and the run ends with its last attempt', () => {
    const simulation = simulate(chain);
    simulation.command({ type: 'cancel', reason: 'enough' });
    expect(simulation.statuses).toEqual({ a: 'running', b: 'cancelled' });
    expect(simulation.isOver).toBe(false);
    simulation.end('a', { type: 'cancelled', reason: 'enough' });
    expect(simulation.state.phase).toEqual({ status: 'cancelled', reason: 'enough' });
  });

  test.for([
    ['succeeds all the same', done, 'succeeded'],
    ['fails', failedWith(), 'failed'],
    ['is interrupted', interrupted, 'cancelled'],
    ['would have to wait', { type: 'delayed', until: 9e15, reason: 'a limit' }, 'cancelled'],
    ['is stopped', { type: 'cancelled', reason: 'enough' }, 'cancelled'],
  ] as const)('a run that is cancelled ends even if its attempt %s', ([, outcome, status]) => {
    const simulation = simulate(workflow([task('a', { retry: tries(3), onInterrupt: 'ask' })]));
    simulation.command({ type: 'cancel', reason: 'enough' });
    simulation.end('a', outcome);
    expect(simulation.statusOf('a')).toBe(status);
    expect(simulation.status).toBe('cancelled');
  });

  test.for([
    ['waits for its next try', failedWith()],
    ['is held', interrupted],
  ] as const)('a task that %s is cancelled with its run', ([, outcome]) => {
    const onInterrupt = outcome.type === 'interrupted' ? 'ask' : 'restart';
    const simulation = simulate(workflow([task('a', { retry: tries(3), onInterrupt })]));
    simulation.end('a', outcome);
    simulation.command({ type: 'cancel', reason: 'enough' });
    expect(simulation.statusOf('a')).toBe('cancelled');
    expect(simulation.status).toBe('cancelled');
  });

  test('a paused run can be cancelled, even if its attempt is interrupted then', () => {
    const simulation = simulate(chain);
    simulation.command({ type: 'pause' });
    simulation.command({ type: 'cancel', reason: 'enough' });
    simulation.end('a', interrupted);
    expect(simulation.status).toBe('cancelled');
  });

  test('tasks that ask for failure() or always() do not run after a cancel', () => {
    const flow = workflow([task('a'), task('clean', { needs: ['a'], if: 'always()' })]);
    const simulation = simulate(flow);
    simulation.command({ type: 'cancel', reason: 'enough' });
    simulation.end('a', done);
    expect(simulation.statusOf('clean')).toBe('cancelled');
  });

  test('a cancel during a fail-fast also stops what the fail-fast had spared', () => {
    const flow = workflow([task('a'), task('b'), task('clean', { needs: ['b'], if: 'always()' })], {
      failFast: true,
    });
    const simulation = simulate(flow);
    simulation.end('a', failedWith());
    expect(simulation.statusOf('clean')).toBe('pending');
    simulation.command({ type: 'cancel', reason: 'enough' });
    expect(simulation.statusOf('clean')).toBe('cancelled');
    simulation.end('b', done);
    expect(simulation.status).toBe('cancelled');
  });

  test('a cancel also reaches what a fail-fast within a nested workflow had spared', () => {
    const inner = workflow([task('a'), task('b'), task('clean', { needs: ['b'], if: 'always()' })], {
      failFast: true,
    });
    const simulation = simulate(workflow([task('outer', { work: uses(inner) })]));
    simulation.end('outer.a', failedWith());
    simulation.command({ type: 'cancel', reason: 'enough' });
    simulation.end('outer.b', done);
    expect(simulation.statuses).toMatchObject({ 'outer.clean': 'cancelled', outer: 'cancelled' });
    expect(simulation.status).toBe('cancelled');
  });

  test('a cancel reaches nested workflows, items, their bodies and graphs', () => {
    const inner = workflow([task('x'), task('y', { needs: ['x'] })]);
    const simulation = simulate(
      workflow([
        task('child', { work: uses(inner) }),
        task('each', { forEach: forEach(['a', 'b'], { maxParallel: 1 }), work: body(inner) }),
        task('loop', { work: uses(graph([node('n', 'n')])) }),
      ]),
    );
    simulation.command({ type: 'cancel', reason: 'enough' });
    for (const address of simulation.running)
      simulation.end(address, { type: 'cancelled', reason: 'enough' });
    expect(new Set(Object.values(simulation.statuses))).toEqual(new Set(['cancelled']));
    expect(simulation.status).toBe('cancelled');
  });

  test('a graph that is cancelled takes no further edge', () => {
    const simulation = simulate(graph([node('a', 'a')]));
    simulation.command({ type: 'cancel', reason: 'enough' });
    simulation.end('a#1', done);
    expect(simulation.all('edge.taken')).toHaveLength(1);
    expect(simulation.status).toBe('cancelled');
  });

  test('a second cancel is refused', () => {
    const simulation = simulate(chain);
    simulation.command({ type: 'cancel', reason: 'enough' });
    expect(simulation.command({ type: 'cancel', reason: 'really' })).toEqual({
      accepted: false,
      text: 'the run is being cancelled already',
    });
  });
});

describe('retry and skip', () => {
  test('a run with nothing but a held task is held, and says which actions are offered', () => {
    const simulation = heldPush();
    expect(simulation.status).toBe('held');
    expect(taskAt(simulation.state, 'push').life).toEqual({
      status: 'held',
      reason: 'it was interrupted, and may have done its work: on-interrupt is ask',
      actions: ['retry', 'done', 'skip'],
      waitsFor: { type: 'action' },
    });
  });

  test('a held task goes on after a retry', () => {
    const simulation = heldPush();
    expect(simulation.command({ type: 'retry', task: 'push', seen: simulation.state.version }).accepted).toBe(
      true,
    );
    expect(simulation.running).toEqual(['push']);
    expect(simulation.drain().status).toBe('succeeded');
  });

  test('the run goes on without a held task that is skipped, and what needs it is skipped too', () => {
    const simulation = heldPush();
    expect(simulation.command({ type: 'skip', task: 'push' }).accepted).toBe(true);
    expect(simulation.statuses).toEqual({ push: 'skipped', after: 'skipped' });
    expect(simulation.status).toBe('succeeded');
  });

  test('a command that was decided on an earlier hold is refused, though the task is held again', () => {
    const simulation = heldPush();
    const { version: seen } = simulation.state;
    simulation.command({ type: 'retry', task: 'push' });
    simulation.end('push', interrupted);
    const text = 'push has gone on since you looked at it: it is held now';
    expect(simulation.command({ type: 'retry', task: 'push', seen })).toEqual({ accepted: false, text });
    expect(simulation.command({ type: 'skip', task: 'push', seen })).toEqual({ accepted: false, text });
    const { version: now } = simulation.state;
    expect(simulation.command({ type: 'skip', task: 'push', seen: now }).accepted).toBe(true);
  });

  test.for([
    ['running', { type: 'retry', task: 'a' }, 'a is running, not held, delayed or failed'],
    ['running', { type: 'skip', task: 'a' }, 'a is running'],
    ['pending', { type: 'retry', task: 'b' }, 'b is pending, not held, delayed or failed'],
    ['unknown', { type: 'skip', task: 'z' }, 'the run has no task z'],
  ] as const)('a task that is %s cannot be treated so: %o', ([, command, text]) => {
    expect(simulate(chain).command(command)).toEqual({ accepted: false, text });
  });

  test('what has succeeded is not tried again unasked, nor skipped', () => {
    const simulation = simulate(chain);
    simulation.end('a', done);
    expect(simulation.command({ type: 'retry', task: 'a' })).toEqual({
      accepted: false,
      text: 'what has succeeded runs again only if you ask for it (--redo): a',
    });
    expect(simulation.command({ type: 'skip', task: 'a' }).text).toBe('a is succeeded');
  });

  test('a task that has not begun can be skipped before what it needs has settled', () => {
    const simulation = simulate(chain);
    expect(simulation.command({ type: 'skip', task: 'b' }).accepted).toBe(true);
    simulation.end('a', done);
    expect(simulation.statuses).toEqual({ a: 'succeeded', b: 'skipped' });
    expect(simulation.status).toBe('succeeded');
  });

  test('after its end a run refuses every command', () => {
    const simulation = simulate(workflow([task('a')])).drain();
    for (const type of ['pause', 'resume'] as const)
      expect(simulation.command({ type })).toEqual({ accepted: false, text: 'the run has ended: succeeded' });
  });

  test('every command is journalled with its answer, refused ones too', () => {
    const simulation = simulate(chain);
    simulation.command({ type: 'resume' });
    expect(simulation.all('command.decided')[0]!.data).toEqual({
      id: 'command-1',
      command: 'resume',
      accepted: false,
      answer: 'the run is not paused',
    });
  });
});

describe('the summary', () => {
  test('tells what a list of runs shows, without the tasks', () => {
    const simulation = simulate(workflow([task('a', { retry: tries(2) }), task('b', { needs: ['a'] })]));
    simulation.end('a', failedWith());
    expect(summaryOf(simulation.state)).toEqual({
      workflow: 'test',
      workflowHash: simulation.state.workflow.hash,
      status: 'delayed',
      settled: 0,
      total: 2,
      wakeAt: simulation.now + 1_000,
    });
    simulation.drain();
    expect(summaryOf(simulation.state)).toMatchObject({ status: 'succeeded', settled: 2, total: 2 });
  });

  test('names the next timer also of a run that is held, because that timer will not wait for the person', () => {
    const simulation = simulate(
      workflow([task('a', { retry: tries(2) }), task('b', { onInterrupt: 'ask' })]),
    );
    simulation.end('a', failedWith());
    simulation.end('b', interrupted);
    expect(summaryOf(simulation.state)).toMatchObject({ status: 'held', wakeAt: simulation.now + 1_000 });
  });

  test('says why a run has failed', () => {
    const simulation = simulate(workflow([task('a')]));
    simulation.end('a', failedWith());
    expect(summaryOf(simulation.state)).toMatchObject({ status: 'failed', reason: 'a failed: it is broken' });
  });
});

test('what asks for failure() knows of one that failed above, although a task in between is skipped before its needs have settled', () => {
  const simulation = simulate(
    workflow(
      [
        task('broken'),
        task('waits', { needs: ['broken'], if: 'always()', approval: 'Go on?' }),
        task('between', { needs: ['waits'] }),
        task('rescue', { needs: ['between'], if: 'failure()' }),
      ],
      { failFast: false },
    ),
  );
  simulation.end('broken', failedWith());
  simulation.command({ type: 'skip', task: 'between' });
  expect(simulation.statuses).toMatchObject({ waits: 'held', between: 'skipped', rescue: 'running' });
});
