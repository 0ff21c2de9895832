import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
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
  ): void {
    const { attempt } = simulation.state.tasks.get(address)!.life as { attempt: { id: string } };
    simulation.transition(() => [
      { type: 'transcript.added', task: address, attempt: attempt.id, data: { upTo: 1, entries } },
    ]);
  }

  function open(simulation: ReturnType<typeof simulate>, address: string, session: string): void {
    const { attempt } = simulation.state.tasks.get(address)!.life as { attempt: { id: string } };
    simulation.transition(() => [
      { type: 'session.opened', task: address, attempt: attempt.id, data: { agent: 'claude', session } },
    ]);
  }

  test('that is used up lets what runs end, and holds what would start until a person lets it', () => {
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
    simulation.command({ type: 'retry', task: 'c' });
    expect(simulation.running).toEqual(['c']);
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
