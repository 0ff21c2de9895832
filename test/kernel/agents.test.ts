import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { reasonToStopSpending } from '../../src/kernel/index.ts';
import type { EventOf } from '../../src/model/index.ts';
import { done, interrupted, simulate, succeededWith } from '../support/simulate.ts';
import { agentTask, workflow } from '../support/workflows.ts';

function startsOf(simulation: ReturnType<typeof simulate>): unknown[] {
  return simulation.journal.flatMap(({ events }) =>
    events.flatMap((event) => (event.type === 'attempt.started' ? [event.data.agent] : [])),
  );
}

describe('an agent at its usage limit', () => {
  const limited = { type: 'delayed', until: 2_000_000, reason: 'limit', agent: 'claude' } as const;

  test('is waited for by every task that has no other, and goes on when the limit ends', () => {
    const simulation = simulate(
      workflow([agentTask('a', ['claude']), agentTask('b', ['claude'], { needs: ['a'] })]),
    );
    simulation.end('a', limited);
    expect(simulation.statuses).toMatchObject({ a: 'delayed', b: 'pending' });
    simulation.now = 2_000_000;
    simulation.transition();
    expect(simulation.running).toEqual(['a']);
    simulation.end('a', done);
    expect(simulation.running).toEqual(['b']);
  });

  test('is replaced by the next one, at once, and by all tasks that would ask it', () => {
    const simulation = simulate(
      workflow([agentTask('a', ['claude', 'codex']), agentTask('b', ['claude', 'codex'], { needs: ['a'] })]),
    );
    simulation.end('a', limited);
    expect(simulation.running).toEqual(['a']);
    simulation.end('a', succeededWith('done'));
    simulation.end('b', done);

    expect(startsOf(simulation)).toMatchObject([
      { name: 'claude' },
      { name: 'codex', rung: 'transcript' },
      { name: 'codex' },
    ]);
    expect(simulation.status).toBe('succeeded');
  });
});

describe('a budget', () => {
  const used = (costUsd: number, isCumulative = false): JsonObject => ({
    type: 'usage',
    input: 80,
    output: 20,
    costUsd,
    isCumulative,
  });

  function say(
    simulation: ReturnType<typeof simulate>,
    address: string,
    entries: readonly JsonObject[],
    day?: string,
  ): void {
    const { attempt } = simulation.state.tasks.get(address)!.life as { attempt: { id: string } };
    const data = { upTo: 1, entries, ...(day !== undefined && { day }) };
    simulation.transition(() => [{ type: 'transcript.added', task: address, attempt: attempt.id, data }]);
  }

  function raise(
    simulation: ReturnType<typeof simulate>,
    task: string,
    amount: number,
    unit: 'usd' | 'tokens' = 'usd',
  ): ReturnType<typeof simulation.command> {
    return simulation.command({ type: 'raise', task, unit, amount, by: 'ada' });
  }

  function open(simulation: ReturnType<typeof simulate>, address: string, session: string): void {
    const { attempt } = simulation.state.tasks.get(address)!.life as { attempt: { id: string } };
    simulation.transition(() => [
      { type: 'session.opened', task: address, attempt: attempt.id, data: { agent: 'claude', session } },
    ]);
  }

  test('counts what was used as it stands beside what was said, and where it does not, in what was said', () => {
    const told: EventOf<'transcript.added'>['data'][] = [
      { upTo: 1, entries: [used(1.5)] },
      { upTo: 1, used: [used(1.5)] },
      { upTo: 1, used: [used(1.5)], entries: [used(1.5)] },
      { upTo: 1, used: [], entries: [used(1.5)] },
      { upTo: 1 },
    ];
    const counted = told.map((data) => {
      const simulation = simulate(workflow([agentTask('a', ['claude'])]));
      const { attempt } = simulation.state.tasks.get('a')!.life as { attempt: { id: string } };
      simulation.transition(() => [{ type: 'transcript.added', task: 'a', attempt: attempt.id, data }]);
      return simulation.state.usage.usd;
    });
    expect(counted).toEqual([1.5, 1.5, 1.5, 0, 0]);
  });

  test('that is used up holds what would start until a person raises it by an amount', () => {
    const flow = workflow(
      [agentTask('a', ['claude']), agentTask('b', ['claude']), agentTask('c', ['claude'], { needs: ['a'] })],
      {
        budget: { usd: 1 },
      },
    );
    const simulation = simulate(flow);
    say(simulation, 'a', [used(1.5)]);
    simulation.end('a', done);
    expect(simulation.statuses).toEqual({ a: 'succeeded', b: 'running', c: 'held' });
    simulation.end('b', done);
    expect(simulation.status).toBe('held');
    expect(simulation.command({ type: 'retry', task: 'c' })).toMatchObject({
      accepted: false,
      text: expect.stringContaining('$1, is used up: $1.50: raise that by an amount'),
    });
    expect(raise(simulation, 'c', 2)).toMatchObject({
      accepted: true,
      text: 'the budget of the run is raised by $2.00, and c goes on',
    });
    expect(simulation.running).toEqual(['c']);
    expect(simulation.all('budget.raised')[0]).toMatchObject({
      task: 'c',
      data: { of: 'run', usd: 2, by: 'ada' },
    });
    say(simulation, 'c', [used(2)]);
    simulation.end('c', interrupted);
    expect(simulation.state.tasks.get('c')!.life).toMatchObject({
      status: 'held',
      reason: 'the budget of the run, $3, is used up: $3.50',
      actions: ['raise-dollars', 'skip'],
    });
  });

  test('is raised once for all that wait for it, and by enough, in what it is counted in', () => {
    const tokens = workflow(
      ['a', 'b', 'c'].map((name) => agentTask(name, ['claude'], name === 'a' ? {} : { needs: ['a'] })),
      { budget: { tokens: 100 } },
    );
    const simulation = simulate(tokens);
    say(simulation, 'a', [used(1), used(1)]);
    simulation.end('a', done);
    expect(simulation.statuses).toMatchObject({ b: 'held', c: 'held' });
    expect(raise(simulation, 'b', 5)).toMatchObject({
      accepted: false,
      text: expect.stringContaining('100 tokens'),
    });
    expect(raise(simulation, 'b', 100, 'tokens')).toMatchObject({
      accepted: false,
      text: expect.stringContaining('Raise it by more than 100 tokens'),
    });
    expect(raise(simulation, 'b', 101, 'tokens').accepted).toBe(true);
    expect(simulation.running).toEqual(['b', 'c']);
    expect(raise(simulation, 'c', 101, 'tokens')).toMatchObject({
      accepted: false,
      text: 'c waits for no budget: it is running',
    });
    expect(simulation.replayed().raised).toEqual(simulation.state.raised);
  });

  test('of a task is raised for that task alone, by whoever has seen how it stands', () => {
    const limited = (name: string): ReturnType<typeof agentTask> =>
      agentTask(name, ['claude'], { work: { budget: { usd: 1 } } });
    const simulation = simulate(workflow([limited('a'), limited('b')]));
    for (const address of ['a', 'b']) {
      say(simulation, address, [used(1.25)]);
      simulation.end(address, interrupted);
    }
    const { lastAttempt } = simulation.state.tasks.get('a')!;
    const command = { type: 'raise', task: 'a', unit: 'usd', amount: 1, attempt: lastAttempt! } as const;
    expect(simulation.command(command).accepted).toBe(true);
    expect(simulation.statuses).toEqual({ a: 'running', b: 'held' });
    say(simulation, 'a', [used(1.25)]);
    simulation.end('a', interrupted);
    expect(simulation.statuses).toEqual({ a: 'held', b: 'held' });
    expect(simulation.command(command)).toEqual({ accepted: false, text: 'a has had another attempt since' });
    for (const amount of [0, -1, Number.NaN]) expect(raise(simulation, 'a', amount).accepted).toBe(false);
  });

  test('of a day is raised for what the run does on that day', () => {
    const simulation = simulate(
      workflow([agentTask('a', ['claude']), agentTask('b', ['claude'], { needs: ['a'] })]),
    );
    simulation.budgetPerDay = { usd: 1 };
    say(simulation, 'a', [used(1)], 'today');
    simulation.end('a', done);
    expect(simulation.statusOf('b')).toBe('delayed');
    expect(simulation.command({ type: 'retry', task: 'b' }).accepted).toBe(false);
    expect(raise(simulation, 'b', 1).accepted).toBe(true);
    expect(simulation.running).toEqual(['b']);
    expect(simulation.all('budget.raised')[0]!.data).toMatchObject({ of: 'day', day: 'today' });
  });

  test('that was lifted in an old journal stays so', () => {
    const flow = workflow([agentTask('a', ['claude'])], { budget: { usd: 1 } });
    const simulation = simulate(flow);
    say(simulation, 'a', [used(1.5)]);
    simulation.end('a', interrupted);
    const held = simulation.journal.at(-1)!.events.find((event) => event.type === 'task.held')!;
    Object.assign(held.data, { actions: ['retry', 'skip'] });
    simulation.state = simulation.replayed();
    simulation.transition(() => [{ type: 'task.released', task: 'a', data: {} }]);
    expect(simulation.running).toEqual(['a']);
    say(simulation, 'a', [used(9)]);
    simulation.end('a', interrupted);
    expect(simulation.running).toEqual(['a']);
  });

  test('is told beside what may have taken effect, where both hold a task', () => {
    const flow = workflow([agentTask('a', ['claude'], { onInterrupt: 'continue' })], { budget: { usd: 1 } });
    const simulation = simulate(flow);
    say(simulation, 'a', [used(1.5)]);
    simulation.end('a', { ...interrupted, boundary: `in tool 'Bash: git push'`, mayRepeat: false });
    expect(simulation.state.tasks.get('a')!.life).toMatchObject({
      reason: expect.stringMatching(/git push.*; and the budget of the run, \$1, is used up: \$1\.50$/),
    });
  });

  test('stops what works when it is passed, of the task, the run or the day; not when it is just used up', () => {
    const flow = workflow([agentTask('a', ['claude'], { work: { budget: { tokens: 100 } } })], {
      budget: { tokens: 250 },
    });
    const simulation = simulate(flow);
    const reason = (): string | undefined =>
      reasonToStopSpending(simulation.state, simulation.state.tasks.get('a')!, simulation.world);
    say(simulation, 'a', [used(0.5)]);
    expect(reason()).toBeUndefined();
    say(simulation, 'a', [used(0.25)]);
    expect(reason()).toBe('the budget of the task, 100 tokens, is used up: 200');
    simulation.state.tasks.get('a')!.raised = { usd: 0, tokens: 500 };
    expect(reason()).toBeUndefined();
    say(simulation, 'a', [used(0.25)], 'today');
    expect(reason()).toBe('the budget of the run, 250 tokens, is used up: 300');
    simulation.state.raised['run'] = { usd: 0, tokens: 500 };
    simulation.budgetPerDay = { tokens: 99 };
    expect(reason()).toBe('the budget of the day, 99 tokens, is used up: 100');
  });

  test('that is small is told to the hundredth of a cent', () => {
    const flow = workflow([agentTask('a', ['claude']), agentTask('b', ['claude'], { needs: ['a'] })], {
      budget: { usd: 0.001 },
    });
    const simulation = simulate(flow);
    say(simulation, 'a', [used(0.0014)]);
    simulation.end('a', done);
    expect(simulation.state.tasks.get('b')!.life).toMatchObject({
      reason: 'the budget of the run, $0.001, is used up: $0.0014',
    });
  });

  test('counts what a session counts from its beginning only once', () => {
    const simulation = simulate(workflow([agentTask('a', ['claude'])]));
    open(simulation, 'a', 's');
    say(simulation, 'a', [used(1, true), used(1.5, true), used(0.25)]);

    expect(simulation.state.usage).toMatchObject({ usd: 1.75, input: 160, output: 40 });
    expect(simulation.replayed().usage).toEqual(simulation.state.usage);
  });

  test('does not count again what a copy of a session counts from the beginning of the other, whichever attempt tells it', () => {
    const copy = agentTask('b', ['claude'], { needs: ['a'], work: { session: { fork: 'a' } } });
    const simulation = simulate(workflow([agentTask('a', ['claude']), copy]));
    open(simulation, 'a', 's');
    say(simulation, 'a', [used(1, true)]);
    simulation.end('a', done);
    open(simulation, 'b', 'copy');
    simulation.end('b', interrupted);
    say(simulation, 'b', [used(1.5, true)]);

    expect(simulation.state.tasks.get('b')!.usage).toMatchObject({ usd: 0.5, input: 0, output: 0 });
    expect(simulation.state.usage).toMatchObject({ usd: 1.5, input: 80, output: 20 });
    expect(simulation.replayed().usage).toEqual(simulation.state.usage);
  });
});

test('an interruption in the middle of what may have taken effect holds the task, and says where', () => {
  const simulation = simulate(workflow([agentTask('a', ['claude'], { onInterrupt: 'continue' })]));
  simulation.end('a', { ...interrupted, boundary: `in tool 'Bash: npm publish'`, mayRepeat: false });

  expect(simulation.state.tasks.get('a')!.life).toMatchObject({
    status: 'held',
    reason: expect.stringContaining('npm publish'),
  });
});

test('a session that the agent does not know any more is not asked for again', () => {
  const simulation = simulate(workflow([agentTask('a', ['claude'])]));
  const { id } = (simulation.state.tasks.get('a')!.life as { attempt: { id: string } }).attempt;
  simulation.transition(() => [
    { type: 'session.opened', task: 'a', attempt: id, data: { agent: 'claude', session: 's-1' } },
  ]);
  simulation.end('a', interrupted);
  simulation.end('a', { ...interrupted, sessionLost: true });

  expect(startsOf(simulation)).toMatchObject([
    { how: 'new' },
    { how: 'continue', session: 's-1', rung: 'session' },
    { how: 'new', rung: 'transcript' },
  ]);
});
