import { describe, expect, test } from 'vitest';
import {
  decideQuestion,
  decodeState,
  encodeState,
  gateOf,
  nextWake,
  summaryOf,
  taskAt,
} from '../../src/kernel/index.ts';
import type { Json } from '../../src/base/index.ts';
import type { AskWork, Command, CommandAnswer, TaskSpec } from '../../src/model/index.ts';
import { done, failedWith, simulate, type Simulation } from '../support/simulate.ts';
import { body, forEach, graph, node, task, tries, workflow } from '../support/workflows.ts';

const hour = 3_600_000;

function ask(name: string, work: Partial<AskWork> = {}, given: Partial<TaskSpec> = {}): TaskSpec {
  return task(name, { ...given, work: { type: 'ask', question: 'Which port?', answer: 'string', ...work } });
}

function answer(simulation: Simulation, address: string, value: Json): CommandAnswer {
  const gate = gateOf(taskAt(simulation.state, address).life)?.gate ?? 'none';
  return simulation.command({ type: 'answer', task: address, gate, answer: value } as Command);
}

/** What the function of a running task asks. */
function askInside(
  simulation: Simulation,
  address: string,
  given: Partial<Parameters<typeof decideQuestion>[1]> = {},
): void {
  const asked = { type: 'string', text: 'Which?', key: 'Which?#1', ...given } as const;
  simulation.transition(() => decideQuestion(taskAt(simulation.state, address), asked, simulation.world));
}

describe('a task that asks', () => {
  test('is held without a slot, and its answer is its output, for those who need it', () => {
    const flow = workflow(
      [ask('port', { answer: 'integer' }), task('other'), task('last', { needs: ['port'] })],
      {
        maxParallel: 1,
      },
    );
    const simulation = simulate(flow);
    expect(simulation.running).toEqual(['other']);
    expect(taskAt(simulation.state, 'port').life).toMatchObject({
      status: 'held',
      reason: 'Which port?',
      actions: ['answer', 'reject', 'skip'],
      waitsFor: { type: 'gate', question: { type: 'integer' } },
    });
    simulation.end('other', done);
    expect(simulation.status).toBe('held');
    expect(answer(simulation, 'port', 8080)).toEqual({ accepted: true, text: 'port is answered' });
    expect(simulation.statuses).toMatchObject({ port: 'succeeded', last: 'running' });
    expect(simulation.outputOf('port')).toBe(8080);
    expect(simulation.all('attempt.started').map((event) => event.task)).not.toContain('port');
  });

  test.each([
    ['integer', 1.5, 'a whole number'],
    ['number', 'x', 'a number'],
    ['boolean', 'yes', 'true or false'],
    ['string', 3, 'text'],
  ] as const)('refuses what is no %s', (type, value, kind) => {
    const simulation = simulate(workflow([ask('a', { answer: type })]));
    expect(answer(simulation, 'a', value)).toEqual({
      accepted: false,
      text: `that is no answer for a: it must be ${kind}`,
    });
    expect(simulation.statusOf('a')).toBe('held');
  });

  test('takes one of its choices only, which an expression may have given', () => {
    const simulation = simulate(workflow([ask('a', { answer: 'choice', choices: '${{ inputs.plans }}' })]), {
      inputs: { plans: ['small', 'large'] },
    });
    expect(simulation.all('gate.opened')[0]!.data.question).toEqual({
      type: 'choice',
      choices: ['small', 'large'],
    });
    expect(answer(simulation, 'a', 'huge').text).toBe(
      'that is no answer for a: it must be one of: small, large',
    );
    expect(answer(simulation, 'a', 'large').accepted).toBe(true);
    expect(simulation.outputOf('a')).toBe('large');
  });

  test.each([
    [[], 'at least one'],
    ['none', 'at least one'],
    [['a', 'a'], '`a` twice'],
    [[{ a: 1 }], 'texts, numbers'],
  ])('fails where its choices turn out to be %j', (plans, why) => {
    const simulation = simulate(workflow([ask('a', { answer: 'choice', choices: '${{ inputs.plans }}' })]), {
      inputs: { plans },
    });
    expect(simulation.all('task.failed')[0]!.data.failure).toMatchObject({
      code: 'ASK_INVALID',
      message: expect.stringContaining(why),
    });
  });

  test('a yes is no answer, an answer is no yes, and a late answer does not hit a later visit', () => {
    const flow = graph([node('a', 'a', { work: ask('a').work })], { maxSteps: 2 });
    const simulation = simulate(flow);
    const [first] = simulation.all('gate.opened');
    expect(simulation.decide('approve', 'a#1').text).toBe('a#1 waits for an answer: answer or reject it');
    answer(simulation, 'a#1', 'x');
    expect(simulation.statusOf('a#2')).toBe('held');
    const late = { type: 'answer', task: 'a#2', gate: first!.data.gate, answer: 'y' } as const;
    expect(simulation.command(late).text).toBe('a#2 asks something else by now: look at it again');
    expect(answer(simulation, 'a#1', 'z').text).toBe('a#1 has been answered already');
    const approval = simulate(workflow([task('b', { approval: 'Sure?' })]));
    expect(answer(approval, 'b', 'x').text).toBe('b waits for approval: approve or reject it');
  });

  test('asks for each item, in nested tasks, and changes the state of a graph only where it is told to', () => {
    const inner = body(workflow([ask('x')]));
    const simulation = simulate(
      workflow([ask('each', {}, { forEach: forEach(['a', 'b']) }), task('outer', { work: inner })]),
    );
    for (const address of ['each[a]', 'each[b]', 'outer.x']) answer(simulation, address, address);
    expect(simulation.status).toBe('succeeded');
    expect(simulation.outputOf('each')).toEqual(['each[a]', 'each[b]']);
    const update = { chosen: '${{ output }}' };
    const flow = graph([{ ...node('a', 'end', { work: ask('a').work }), update }], { state: { chosen: '' } });
    const changing = simulate(flow);
    answer(changing, 'a#1', 'this');
    expect(changing.state.scopes.get('')!.graph!.state).toEqual({ chosen: 'this' });
  });

  test('rejecting fails it, skipping and cancelling end it, and done again it asks again', () => {
    const flow = workflow([ask('a'), ask('b'), ask('c')]);
    const simulation = simulate(flow);
    simulation.decide('reject', 'a', 'nobody knows');
    simulation.command({ type: 'skip', task: 'b' });
    expect(simulation.all('task.failed')[0]!.data.failure).toEqual({
      code: 'REJECTED',
      message: 'nobody knows',
      retryable: false,
    });
    simulation.command({ type: 'cancel', reason: 'enough' });
    expect(simulation.statuses).toEqual({ a: 'failed', b: 'skipped', c: 'cancelled' });
    const again = simulate(workflow([ask('a')]));
    answer(again, 'a', 'x');
    expect(again.reopen('a')).toBeUndefined();
    expect(again.statusOf('a')).toBe('held');
    expect(again.all('gate.opened')).toHaveLength(2);
  });
});

describe('a deadline', () => {
  test('is a timer of the run: when it passes, the default is the answer', () => {
    const simulation = simulate(workflow([ask('a', { default: 'x', deadlineMs: hour })]));
    expect(nextWake(simulation.state)).toBe(simulation.now + hour);
    expect(summaryOf(simulation.state)).toMatchObject({ status: 'held', wakeAt: simulation.now + hour });
    simulation.now += hour - 1;
    expect(simulation.transition()).toEqual([]);
    simulation.wake();
    expect(simulation.all('gate.decided')[0]!.data).toMatchObject({
      approved: true,
      isOverdue: true,
      answer: 'x',
    });
    expect(simulation.outputOf('a')).toBe('x');
  });

  test('without a default fails the task; an answer in time disarms it', () => {
    const simulation = simulate(workflow([ask('a', { deadlineMs: hour }), ask('b', { deadlineMs: hour })]));
    answer(simulation, 'b', 'in time');
    simulation.wake();
    expect(simulation.statuses).toEqual({ a: 'failed', b: 'succeeded' });
    expect(simulation.all('task.failed')[0]!.data.failure).toEqual({
      code: 'NO_ANSWER',
      message: 'nobody answered in time',
      retryable: false,
    });
    expect(simulation.wake()).toBe(false);
  });

  test.each([true, false])(
    'that passed while nobody drove the run is seen by the next driver (snapshot: %s)',
    (snapshot) => {
      const simulation = simulate(workflow([ask('a', { default: 'x', deadlineMs: hour })]));
      simulation.now += 2 * hour;
      simulation.crash({ snapshot });
      expect(simulation.outputOf('a')).toBe('x');
    },
  );

  test('waits for the end of a pause, and moves with a clock that is set back', () => {
    const simulation = simulate(workflow([ask('a', { default: 'x', deadlineMs: hour })]));
    simulation.command({ type: 'pause' });
    simulation.now += 2 * hour;
    simulation.transition();
    expect(simulation.statusOf('a')).toBe('held');
    simulation.command({ type: 'resume' });
    expect(simulation.outputOf('a')).toBe('x');
    const moved = simulate(workflow([ask('a', { default: 'x', deadlineMs: hour })]));
    const due = nextWake(moved.state)!;
    moved.transition(() => [{ type: 'clock.jumped', data: { ms: -5_000 } }]);
    expect(nextWake(moved.state)).toBe(due - 5_000);
  });
});

describe('a function that asks', () => {
  test('waits while it runs, keeps its slot, is held for people, and goes on with the answer', () => {
    const simulation = simulate(workflow([task('a', { locks: ['l'] }), task('b', { locks: ['l'] })]));
    askInside(simulation, 'a');
    expect(simulation.statuses).toEqual({ a: 'held', b: 'queued' });
    expect(summaryOf(simulation.state).status).toBe('held');
    expect(simulation.command({ type: 'skip', task: 'a' }).text).toBe(
      'a waits for an answer: answer or reject it',
    );
    answer(simulation, 'a', 'this');
    expect(simulation.statuses).toEqual({ a: 'running', b: 'queued' });
    expect(taskAt(simulation.state, 'a').answers).toEqual([{ key: 'Which?#1', answer: 'this' }]);
    askInside(simulation, 'a');
    expect(simulation.all('gate.opened')).toHaveLength(1);
    simulation.end('a', done);
    expect(simulation.statusOf('b')).toBe('running');
  });

  test.each([true, false])(
    'stays asked when its process dies, is begun again once answered, and is not asked again (snapshot: %s)',
    (snapshot) => {
      const simulation = simulate(workflow([task('a')]));
      askInside(simulation, 'a', { deadlineMs: hour });
      simulation.crash({ snapshot });
      expect(simulation.running).toEqual([]);
      expect(simulation.statusOf('a')).toBe('held');
      expect(nextWake(simulation.state)).toBeDefined();
      answer(simulation, 'a', 'this');
      expect(simulation.running).toEqual(['a']);
      simulation.crash({ snapshot });
      askInside(simulation, 'a');
      expect(simulation.all('gate.opened')).toHaveLength(1);
      expect(simulation.statusOf('a')).toBe('running');
    },
  );

  test('is told of a refusal and of a deadline, and decides itself what that means', () => {
    const simulation = simulate(workflow([task('a')]));
    askInside(simulation, 'a', { deadlineMs: hour });
    simulation.wake();
    expect(taskAt(simulation.state, 'a').answers).toEqual([
      { key: 'Which?#1', refusal: { code: 'NO_ANSWER', message: 'nobody answered in time' } },
    ]);
    askInside(simulation, 'a', { key: 'other' });
    simulation.decide('reject', 'a', 'no');
    expect(simulation.statusOf('a')).toBe('running');
    expect(taskAt(simulation.state, 'a').answers).toHaveLength(2);
  });

  test('that must not be repeated is held for that instead, if its process dies', () => {
    const simulation = simulate(workflow([task('a', { onInterrupt: 'ask' })]));
    askInside(simulation, 'a');
    simulation.crash();
    expect(taskAt(simulation.state, 'a').life).toMatchObject({
      status: 'held',
      waitsFor: { type: 'action' },
    });
    simulation.command({ type: 'retry', task: 'a' });
    askInside(simulation, 'a');
    expect(answer(simulation, 'a', 'x').accepted).toBe(true);
  });

  test('keeps its answers through retries, but asks again where an old answer does not fit', () => {
    const simulation = simulate(workflow([task('a', { retry: tries(2) })]));
    askInside(simulation, 'a');
    answer(simulation, 'a', 'this');
    simulation.end('a', failedWith());
    simulation.wake();
    askInside(simulation, 'a');
    expect(simulation.all('gate.opened')).toHaveLength(1);
    askInside(simulation, 'a', { type: 'choice', choices: ['that'] });
    expect(simulation.all('gate.opened')).toHaveLength(2);
    answer(simulation, 'a', 'that');
    expect(taskAt(simulation.state, 'a').answers).toEqual([{ key: 'Which?#1', answer: 'that' }]);
  });

  test('is stopped with its run, and an end of it ends the question', () => {
    const simulation = simulate(workflow([task('a'), task('b')]));
    askInside(simulation, 'a');
    askInside(simulation, 'b');
    simulation.end('b', done);
    expect(answer(simulation, 'b', 'x').text).toBe('b waits for no answer: it is succeeded');
    simulation.command({ type: 'cancel', reason: 'enough' });
    simulation.end('a', { type: 'cancelled', reason: 'enough' });
    expect(simulation.status).toBe('cancelled');
    expect(decodeState(encodeState(simulation.state)).counts).toEqual(simulation.state.counts);
  });
});
