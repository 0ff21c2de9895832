import { describe, expect, test } from 'vitest';
import { decodeState, encodeState, gateOf, summaryOf, taskAt } from '../../src/kernel/index.ts';
import { done, failedWith, interrupted, simulate, type Simulation } from '../support/simulate.ts';
import { body, forEach, graph, node, task, tries, uses, workflow } from '../support/workflows.ts';

const approval = 'Release it?';

function openGate({ state }: Simulation, address: string): string | undefined {
  return gateOf(taskAt(state, address).life)?.gate;
}

describe('asking', () => {
  test('a task with approval is held before it takes a slot, and says what is asked and what can be done', () => {
    const flow = workflow([task('release', { approval, priority: 1 }), task('other')], { maxParallel: 1 });
    const simulation = simulate(flow);
    expect(simulation.running).toEqual(['other']);
    expect(taskAt(simulation.state, 'release').life).toEqual({
      status: 'held',
      reason: approval,
      actions: ['approve', 'reject', 'skip'],
      waitsFor: { type: 'gate', gate: simulation.all('gate.opened')[0]!.data.gate },
    });
    simulation.end('other', done);
    expect(simulation.status).toBe('held');
  });

  test('nobody is asked before what the task needs has settled, nor if its condition does not hold', () => {
    const simulation = simulate(
      workflow([
        task('a'),
        task('b', { needs: ['a'], approval }),
        task('c', { approval, if: { $function: 'no' } }),
      ]),
      { closures: { no: () => false } },
    );
    expect(simulation.statuses).toEqual({ a: 'running', b: 'pending', c: 'skipped' });
    simulation.end('a', done);
    expect(simulation.statusOf('b')).toBe('held');
  });

  test('the text is rendered with what the task sees, and what is not text is shown as JSON', () => {
    const simulation = simulate(
      workflow([
        task('each', { forEach: forEach(['x']), approval: '${{ item }}' }),
        task('other', { approval: { version: '${{ inputs.version }}' } }),
      ]),
      { inputs: { version: 2 } },
    );
    expect(simulation.all('gate.opened').map(({ task, data }) => [task, data.text])).toEqual([
      ['other', '{"version":2}'],
      ['each[x]', 'x'],
    ]);
  });

  test('a text that cannot be rendered fails the task', () => {
    const simulation = simulate(workflow([task('a', { approval: '${{ inputs.missing }}' })]));
    expect(simulation.statusOf('a')).toBe('failed');
    expect(simulation.all('task.failed')[0]!.data.failure.code).toBe('EXPRESSION_FAILED');
  });

  test('each item of a for-each asks by itself, and the others do not wait for it', () => {
    const simulation = simulate(workflow([task('each', { forEach: forEach(['a', 'b']), approval })]));
    expect(simulation.statuses).toEqual({ each: 'running', 'each[a]': 'held', 'each[b]': 'held' });
    simulation.decide('approve', 'each[b]');
    expect(simulation.running).toEqual(['each[b]']);
    simulation.decide('approve', 'each[a]');
    expect(simulation.drain().status).toBe('succeeded');
  });

  test('a nested workflow with approval is not opened before', () => {
    const simulation = simulate(workflow([task('outer', { work: uses(workflow([task('x')])), approval })]));
    expect(simulation.statuses).toEqual({ outer: 'held' });
    simulation.decide('approve', 'outer');
    expect(simulation.running).toEqual(['outer.x']);
  });

  test('every visit of a graph asks anew', () => {
    const simulation = simulate(graph([node('a', 'a', { approval })], { maxSteps: 2 }));
    simulation.decide('approve', 'a#1');
    simulation.end('a#1', done);
    expect(simulation.statusOf('a#2')).toBe('held');
    expect(openGate(simulation, 'a#2')).not.toBe(simulation.all('gate.opened')[0]!.data.gate);
  });
});

describe('approving', () => {
  test('is asked for once: retries, interruptions and restarts go on without', () => {
    const simulation = simulate(workflow([task('a', { approval, retry: tries(3) })]));
    simulation.decide('approve', 'a', 'fine');
    simulation.end('a', failedWith());
    simulation.wake();
    simulation.crash({ snapshot: true });
    expect(simulation.running).toEqual(['a']);
    simulation.end('a', done);
    expect(simulation.all('gate.opened')).toHaveLength(1);
    expect(simulation.all('gate.decided')[0]!.data).toMatchObject({ approved: true, comment: 'fine' });
  });

  test('survives a death before the task has started', () => {
    const simulation = simulate(workflow([task('a', { approval })]));
    simulation.command({ type: 'pause' });
    simulation.decide('approve', 'a');
    simulation.crash({ snapshot: true });
    simulation.command({ type: 'resume' });
    expect(simulation.running).toEqual(['a']);
  });

  test('does not evaluate the condition again', () => {
    let calls = 0;
    const closures = { once: () => ++calls === 1 };
    const simulation = simulate(workflow([task('a', { approval, if: { $function: 'once' } })]), { closures });
    simulation.decide('approve', 'a');
    expect(simulation.running).toEqual(['a']);
  });

  test('a question survives a snapshot, and can be answered afterwards', () => {
    const simulation = simulate(workflow([task('a', { approval })]));
    simulation.state = decodeState(encodeState(simulation.state));
    expect(simulation.decide('approve', 'a').accepted).toBe(true);
  });
});

describe('rejecting', () => {
  test('fails the task with the comment as the reason, and is not retried', () => {
    const simulation = simulate(workflow([task('a', { approval, retry: tries(3) })]));
    expect(simulation.decide('reject', 'a', 'not on a Friday').accepted).toBe(true);
    expect(taskAt(simulation.state, 'a').life).toEqual({
      status: 'failed',
      failure: { code: 'REJECTED', message: 'not on a Friday', retryable: false },
    });
    expect(summaryOf(simulation.state)).toMatchObject({
      status: 'failed',
      reason: 'a failed: not on a Friday',
    });
  });

  test('without a comment says who it was', () => {
    const simulation = simulate(workflow([task('a', { approval })]));
    simulation.decide('reject', 'a');
    expect(simulation.all('task.failed')[0]!.data.failure.message).toBe('rejected by the operator');
  });

  test('of an item counts as a failed item', () => {
    const flow = workflow([task('each', { forEach: forEach(['a', 'b'], { maxFailures: 1 }), approval })]);
    const simulation = simulate(flow);
    simulation.decide('reject', 'each[a]');
    simulation.decide('approve', 'each[b]');
    expect(simulation.drain().status).toBe('succeeded');
  });

  test('in a graph leads where its edges for failures lead', () => {
    const edges = [{ if: 'failure()', to: 'revise' }, { to: 'end' }];
    const simulation = simulate(graph([node('publish', edges, { approval }), node('revise', 'publish')]));
    simulation.decide('reject', 'publish#1');
    expect(simulation.running).toEqual(['revise#1']);
  });
});

describe('what is refused', () => {
  test('a second decision of one question, whichever the first was', () => {
    const simulation = simulate(workflow([task('a', { approval }), task('b', { approval }), task('c')]));
    const decisions = (['a', 'b'] as const).map((address) => ({
      task: address,
      gate: openGate(simulation, address)!,
    }));
    simulation.command({ type: 'approve', ...decisions[0]! });
    simulation.command({ type: 'reject', ...decisions[1]! });
    const again = decisions.map((decision) => simulation.command({ type: 'approve', ...decision }));
    expect(again).toEqual([
      { accepted: false, text: 'a has been approved already' },
      { accepted: false, text: 'b has been rejected already' },
    ]);
  });

  test('a decision that means another question', () => {
    const simulation = simulate(workflow([task('a', { approval })]));
    expect(simulation.command({ type: 'approve', task: 'a', gate: 'old' })).toEqual({
      accepted: false,
      text: 'a asks something else by now: look at it again',
    });
    expect(simulation.statusOf('a')).toBe('held');
  });

  test('a decision about a task that does not ask', () => {
    const simulation = simulate(workflow([task('a', { onInterrupt: 'ask' })]));
    expect(simulation.decide('approve', 'a').text).toBe('a waits for no approval: it is running');
    simulation.end('a', interrupted);
    expect(simulation.decide('reject', 'a').text).toBe('a waits for no approval: it is held');
    expect(simulation.decide('approve', 'z').text).toBe('the run has no task z');
  });

  test('a retry of a task that asks, because that is no answer', () => {
    const simulation = simulate(workflow([task('a', { approval })]));
    expect(simulation.command({ type: 'retry', task: 'a' })).toEqual({
      accepted: false,
      text: 'a waits for approval: approve or reject it',
    });
  });
});

describe('a task that asks', () => {
  test('can be skipped', () => {
    const simulation = simulate(workflow([task('a', { approval })]));
    simulation.command({ type: 'skip', task: 'a' });
    expect(simulation.status).toBe('succeeded');
  });

  test('is cancelled with its run, and by the failure of another', () => {
    const cancelled = simulate(
      workflow([task('each', { forEach: forEach(['a']), work: body(workflow([task('x', { approval })])) })]),
    );
    cancelled.command({ type: 'cancel', reason: 'enough' });
    expect(cancelled.status).toBe('cancelled');
    const failFast = simulate(workflow([task('a', { approval }), task('b')], { failFast: true }));
    failFast.end('b', failedWith());
    expect(failFast.statusOf('a')).toBe('cancelled');
    expect(failFast.status).toBe('failed');
  });

  test('is held by a repair like any other, and asks again when it is released', () => {
    const simulation = simulate(workflow([task('a', { approval })]));
    simulation.transition(() => [
      { type: 'run.repaired', data: { lostFrom: 2, lostTo: 3, held: ['a'], reason: 'commits were lost' } },
    ]);
    expect(taskAt(simulation.state, 'a').life).toMatchObject({ actions: ['retry', 'done', 'skip'] });
    simulation.command({ type: 'retry', task: 'a' });
    expect(openGate(simulation, 'a')).toBe(simulation.all('gate.opened')[1]!.data.gate);
  });
});
