import { describe, expect, test } from 'vitest';
import type { Event, EventOf, Outcome } from '../../src/model/index.ts';
import { done, failedWith, interrupted, simulate, succeededWith, unreachable } from '../support/simulate.ts';
import { agentTask, checkOf, forEach, graph, task, tries, workflow } from '../support/workflows.ts';

type Simulation = ReturnType<typeof simulate>;

function eventsOf<Type extends Event['type']>(simulation: Simulation, type: Type): EventOf<Type>['data'][] {
  return simulation.journal.flatMap(({ events }) =>
    events.flatMap((event) => (event.type === type ? [event.data as EventOf<Type>['data']] : [])),
  );
}

const kinds = (simulation: Simulation): unknown[] =>
  eventsOf(simulation, 'attempt.started').map(({ kind = 'work' }) => kind);

const red: Outcome = { ...failedWith('COMMAND_FAILED'), report: 'it is red' } as Outcome;

function openSession(simulation: Simulation, address: string, session: string): void {
  const { attempt } = simulation.state.tasks.get(address)!.life as { attempt: { id: string } };
  simulation.transition(() => [
    { type: 'session.opened', task: address, attempt: attempt.id, data: { agent: 'claude', session } },
  ]);
}

describe('a task with a check', () => {
  const checked = (revise: number, more = {}): ReturnType<typeof agentTask> =>
    agentTask('a', ['claude'], { check: checkOf(revise), ...more });

  test('succeeds with what the agent gave, once the check has passed', () => {
    const simulation = simulate(workflow([checked(0)]));
    simulation.end('a', succeededWith('built'));
    expect(simulation.statuses).toEqual({ a: 'running' });
    simulation.end('a', { type: 'succeeded' });

    expect(kinds(simulation)).toEqual(['work', 'check']);
    expect(eventsOf(simulation, 'task.succeeded')).toEqual([{ output: 'built' }]);
  });

  test('is revised as often as it may be, and counts one failure after that', () => {
    const simulation = simulate(workflow([checked(2, { retry: tries(2) })]));
    for (const outcome of [done, red, done, red, done, red]) simulation.end('a', outcome);

    expect(kinds(simulation)).toEqual(['work', 'check', 'revision', 'check', 'revision', 'check']);
    expect(simulation.state.tasks.get('a')).toMatchObject({
      tally: { failures: 1 },
      life: { status: 'delayed' },
    });
    simulation.wake();
    expect(kinds(simulation).at(-1)).toBe('revision');
    for (const outcome of [done, { type: 'succeeded' } as const]) simulation.end('a', outcome);
    expect(simulation.status).toBe('succeeded');
  });

  test('tells how often it was revised, and how the check ended', () => {
    const exited: Outcome = {
      type: 'failed',
      failure: { code: 'COMMAND_FAILED', message: 'exit 2', retryable: true, exit: 2 },
      report: 'red',
    };
    const messages = [0, 1, 2].map((revise) => {
      const simulation = simulate(workflow([checked(revise)]));
      for (let round = 0; round <= revise; round++) {
        simulation.end('a', done);
        simulation.end('a', exited);
      }
      return (simulation.state.tasks.get('a')!.life as { failure: unknown }).failure;
    });
    expect(messages).toMatchObject([
      { code: 'CHECK_FAILED', message: 'its check failed: exit 2', exit: 2 },
      { code: 'CHECK_FAILED', message: 'its check failed after 1 revision: exit 2', exit: 2 },
      { code: 'CHECK_FAILED', message: 'its check failed after 2 revisions: exit 2', exit: 2 },
    ]);
  });

  test('is checked again after an interruption of the check, and not worked on again', () => {
    const simulation = simulate(workflow([checked(1)]));
    simulation.end('a', succeededWith('built'));
    simulation.end('a', interrupted);
    simulation.end('a', { type: 'succeeded' });

    expect(kinds(simulation)).toEqual(['work', 'check', 'check']);
    expect(simulation.status).toBe('succeeded');
  });

  test('is still checked when too many other items have failed, but not revised any more', () => {
    const build = checked(1, { forEach: forEach(['x', 'y', 'z']) });
    const simulation = simulate(workflow([build]));
    simulation.end('a[x]', failedWith('BROKEN', false));
    simulation.end('a[y]', succeededWith('built'));
    simulation.end('a[z]', done);
    simulation.end('a[y]', { type: 'succeeded' });
    simulation.end('a[z]', red);

    expect(simulation.statuses).toMatchObject({ 'a[y]': 'succeeded', 'a[z]': 'failed' });
    expect(kinds(simulation)).toEqual(['work', 'work', 'work', 'check', 'check']);
    expect(simulation.status).toBe('failed');
  });

  test('whose check must not be done twice is held when that is interrupted', () => {
    const check = checkOf(1, { onInterrupt: 'ask' });
    const simulation = simulate(workflow([agentTask('a', ['claude'], { check })]));
    simulation.end('a', succeededWith('built'));
    simulation.end('a', interrupted);
    expect(simulation.statuses).toEqual({ a: 'held' });
    simulation.command({ type: 'retry', task: 'a' });
    expect(kinds(simulation)).toEqual(['work', 'check', 'check']);
  });

  test('keeps its locks between the work and the check, from others that want them more', () => {
    const other = task('other', { needs: ['f'], locks: ['l'], priority: 9 });
    const simulation = simulate(workflow([task('f'), checked(1, { locks: ['l'] }), other]));
    simulation.end('f', done);
    simulation.end('a', done);
    expect(simulation.running).toEqual(['a']);
    simulation.end('a', red);
    expect(simulation.running).toEqual(['a']);
    expect(kinds(simulation)).toEqual(['work', 'work', 'check', 'revision']);
    simulation.end('a', done);
    simulation.end('a', { type: 'succeeded' });
    expect(simulation.running).toEqual(['other']);
  });

  test('whose budget is used up is still checked, but not revised', () => {
    const simulation = simulate(workflow([checked(1, { work: { budget: { usd: 1 } } })]));
    const { attempt } = simulation.state.tasks.get('a')!.life as { attempt: { id: string } };
    const used = { type: 'usage', input: 1, output: 1, costUsd: 2, isCumulative: false };
    simulation.transition(() => [
      { type: 'transcript.added', task: 'a', attempt: attempt.id, data: { upTo: 1, entries: [used] } },
    ]);
    simulation.end('a', done);
    expect(kinds(simulation)).toEqual(['work', 'check']);
    simulation.end('a', red);
    expect(simulation.statuses).toEqual({ a: 'held' });
  });

  test('is read back from its journal and from a snapshot as it was', () => {
    const simulation = simulate(workflow([checked(2)]));
    for (const outcome of [done, red, done]) {
      simulation.end('a', outcome);
      expect(simulation.replayed().tasks.get('a')).toEqual(simulation.state.tasks.get('a'));
    }
  });

  test('that is cancelled while it is checked is not revised any more', () => {
    const simulation = simulate(workflow([checked(2)]));
    simulation.end('a', done);
    simulation.command({ type: 'cancel', reason: 'enough' });
    simulation.end('a', red);
    expect(simulation.status).toBe('cancelled');
    expect(kinds(simulation)).toEqual(['work', 'check']);
  });
});

describe('the same failure in the same files', () => {
  const same: Outcome = { ...failedWith(), sameness: 'x' } as Outcome;

  test('holds the task at the third time instead of trying again', () => {
    const simulation = simulate(workflow([agentTask('a', ['claude'], { retry: tries(9) })]));
    for (let time = 1; time <= 2; time++) {
      simulation.end('a', same);
      simulation.wake();
    }
    simulation.end('a', same);
    expect(simulation.state.tasks.get('a')!.life).toMatchObject({
      status: 'held',
      reason: expect.stringContaining('3 times'),
    });
    simulation.command({ type: 'retry', task: 'a' });
    simulation.end('a', same);
    expect(simulation.statuses).toEqual({ a: 'delayed' });
  });

  test('counts anew when something else happened in between, and fails where no try is left', () => {
    const simulation = simulate(workflow([agentTask('a', ['claude'], { retry: tries(5) })]));
    for (const sameness of ['x', 'x', 'y', 'x']) {
      simulation.end('a', { ...failedWith(), sameness } as Outcome);
      simulation.wake();
    }
    simulation.end('a', same);
    expect(simulation.statuses).toEqual({ a: 'failed' });
  });
});

describe('what a person says to an agent', () => {
  const messagesOf = (simulation: Simulation): unknown =>
    (simulation.state.tasks.get('a')!.life as { attempt?: { messages?: unknown } }).attempt?.messages;

  test('while it works is heard in a turn of its own before the task counts as done', () => {
    const simulation = simulate(workflow([agentTask('a', ['claude'], { check: checkOf(1) })]));
    openSession(simulation, 'a', 's');
    expect(simulation.command({ type: 'tell', task: 'a', text: 'mind the gap' })).toMatchObject({
      accepted: true,
      text: 'a will hear it in its next turn',
    });
    simulation.end('a', done);
    expect(messagesOf(simulation)).toEqual(['mind the gap']);
    simulation.end('a', done);
    expect(kinds(simulation)).toEqual(['work', 'work', 'check']);
    simulation.end('a', { type: 'succeeded' });
    expect(simulation.status).toBe('succeeded');
  });

  test('while it is checked is heard too, and then it is checked again', () => {
    const simulation = simulate(workflow([agentTask('a', ['claude'], { check: checkOf(1) })]));
    simulation.end('a', done);
    simulation.command({ type: 'tell', task: 'a', text: 'one more thing' });
    simulation.end('a', { type: 'succeeded' });
    expect(messagesOf(simulation)).toEqual(['one more thing']);
    simulation.end('a', done);
    expect(kinds(simulation)).toEqual(['work', 'check', 'work', 'check']);
  });

  test('is told again to one that was interrupted, since nobody knows whether it heard', () => {
    const simulation = simulate(workflow([task('first'), agentTask('a', ['claude'], { needs: ['first'] })]));
    simulation.command({ type: 'tell', task: 'a', text: 'be brief' });
    simulation.end('first', done);
    simulation.end('a', interrupted);
    expect(messagesOf(simulation)).toEqual(['be brief']);
    simulation.command({ type: 'tell', task: 'a', text: 'and polite' });
    simulation.end('a', interrupted);
    expect(messagesOf(simulation)).toEqual(['be brief', 'and polite']);
    simulation.end('a', done);
    expect(simulation.status).toBe('succeeded');
  });

  test('is answered with when it will be heard', () => {
    const checked = agentTask('a', ['claude'], { retry: tries(2), check: checkOf(0) });
    const simulation = simulate(workflow([checked, agentTask('later', ['claude'], { needs: ['a'] })]));
    const tell = (address: string, now = false): unknown =>
      simulation.command({ type: 'tell', task: address, text: 'hey', ...(now && { now }) }).text;
    expect(tell('later')).toBe('later will hear it when it starts');
    expect(tell('a', true)).toBe('a will hear it at once: it is stopped, and goes on with it');
    simulation.end('a', done);
    simulation.end('a', done);
    expect(tell('a')).toBe('a will hear it when its check has ended');
    expect(tell('a', true)).toBe('a will hear it at once: its check is stopped, and done again later');
    simulation.end('a', failedWith('AGENT_FAILED'));
    simulation.end('a', done);
    simulation.end('a', failedWith('BROKEN'));
    expect(tell('a')).toBe('a will hear it when it goes on');
  });

  test('is refused where nobody would hear it', () => {
    const simulation = simulate(
      workflow([task('f'), agentTask('a', ['claude']), agentTask('b', ['claude'])]),
    );
    simulation.end('a', done);
    const tell = (address: string) => simulation.command({ type: 'tell', task: address, text: 'hey' });
    expect(tell('f')).toEqual({ accepted: false, text: 'f is not done by an agent' });
    expect(tell('a')).toMatchObject({ accepted: false, text: expect.stringContaining('succeeded') });
    expect(tell('none')).toMatchObject({ accepted: false });
  });

  test('is refused for a for-each as a whole, before its items are known too', () => {
    const each = agentTask('a', ['claude'], { needs: ['f'], forEach: forEach(['x']) });
    const simulation = simulate(workflow([task('f'), each]));
    const tell = (address: string) => simulation.command({ type: 'tell', task: address, text: 'hey' });
    expect(tell('a')).toMatchObject({ accepted: false, text: expect.stringContaining('each of its items') });
    simulation.end('f', done);
    expect(tell('a')).toMatchObject({ accepted: false });
    expect(tell('a[x]')).toMatchObject({ accepted: true });
  });

  test('at once is heard in the next turn of one that must not be interrupted, and is not said to be sooner', () => {
    const simulation = simulate(workflow([agentTask('a', ['claude'], { onInterrupt: 'ask' })]));
    expect(simulation.command({ type: 'tell', task: 'a', text: 'stop', now: true })).toMatchObject({
      text: 'a will hear it in its next turn',
    });
    expect(eventsOf(simulation, 'message.added')).toEqual([{ text: 'stop' }]);
  });
});

describe('a permission that an agent asks for', () => {
  const call = { tool: 'Bash', input: { command: 'git push' } };
  const asked: Outcome = { type: 'asked', text: 'may I push?', call };

  test('is asked of a person, and what is allowed is allowed from then on', () => {
    const simulation = simulate(workflow([agentTask('a', ['claude'])]));
    openSession(simulation, 'a', 's');
    simulation.end('a', asked);
    expect(simulation.state.tasks.get('a')!.life).toMatchObject({
      status: 'held',
      reason: 'may I push?',
      waitsFor: { type: 'gate', call },
    });
    simulation.decide('approve', 'a');
    expect(simulation.state.tasks.get('a')).toMatchObject({
      conversation: { allowed: [call] },
      approved: false,
    });
    expect(eventsOf(simulation, 'attempt.started').at(-1)).toMatchObject({
      agent: { how: 'continue', session: 's', rung: 'session' },
    });
  });

  test('that is rejected fails the task', () => {
    const simulation = simulate(workflow([agentTask('a', ['claude'])]));
    simulation.end('a', asked);
    simulation.decide('reject', 'a', 'never');
    expect(simulation.statuses).toEqual({ a: 'failed' });
  });

  test('is not asked for any more in a run that is being cancelled', () => {
    const simulation = simulate(workflow([agentTask('a', ['claude'])]));
    simulation.command({ type: 'cancel', reason: 'enough' });
    simulation.end('a', asked);
    expect(simulation.status).toBe('cancelled');
  });
});

describe('a session that a person has', () => {
  const lend = { type: 'lend', task: 'a', session: 's', from: 3, host: 'h', pid: 7, token: 't' } as const;

  function heldTask(): Simulation {
    const simulation = simulate(workflow([agentTask('a', ['claude'], { onInterrupt: 'ask' })]));
    openSession(simulation, 'a', 's');
    return simulation;
  }

  test('is not gone on in until it is given back, and then the agent knows', () => {
    const simulation = heldTask();
    expect(simulation.command(lend)).toMatchObject({
      accepted: false,
      text: expect.stringContaining('running'),
    });
    simulation.end('a', interrupted);
    expect(simulation.command(lend)).toMatchObject({ accepted: true });
    simulation.command({ type: 'retry', task: 'a' });
    expect(simulation.state.tasks.get('a')!.life).toMatchObject({
      status: 'held',
      waitsFor: { type: 'session', session: 's' },
    });
    expect(simulation.command({ type: 'retry', task: 'a' })).toMatchObject({ accepted: false });
    simulation.command({ type: 'return', task: 'a', token: 't', at: 5 });
    expect(simulation.running).toEqual(['a']);
    expect(simulation.state.tasks.get('a')!.life).toMatchObject({ attempt: { wasLent: true } });
    expect(simulation.state.lent).toEqual({});
    expect(simulation.replayed().lent).toEqual({});
  });

  test('keeps those waiting that are to go on in it, or in a copy', () => {
    const flow = workflow([
      agentTask('a', ['claude']),
      task('between', { needs: ['a'] }),
      agentTask('b', ['claude'], { needs: ['between'], work: { session: { fork: 'a' } } }),
    ]);
    const simulation = simulate(flow);
    openSession(simulation, 'a', 's');
    simulation.end('a', done);
    simulation.command(lend);
    simulation.end('between', done);
    expect(simulation.statuses).toMatchObject({ b: 'held' });
    simulation.command({ type: 'return', task: 'a', token: 't', at: 5 });
    expect(simulation.running).toEqual(['b']);
  });

  test('is refused if it is another by now, or nobody has it', () => {
    const simulation = heldTask();
    simulation.end('a', interrupted);
    expect(simulation.command({ ...lend, session: 'other' })).toMatchObject({ accepted: false });
    expect(simulation.command({ type: 'return', task: 'a', token: 'x', at: 5 })).toMatchObject({
      accepted: false,
    });
  });
});

describe('an agent at its usage limit', () => {
  const limited = (until: number) =>
    ({ type: 'delayed', until, reason: 'the limit', agent: 'claude' }) as const;

  test('is not waited for longer than the workflow allows: the task is held, and a person may try at once', () => {
    const flow = workflow([agentTask('a', ['claude'])], { usageLimits: { maxWaitMs: 60_000 } });
    const simulation = simulate(flow);
    simulation.end('a', limited(simulation.now + 50_000));
    expect(simulation.statuses).toEqual({ a: 'delayed' });
    simulation.wake();
    simulation.end('a', limited(simulation.now + 70_000));
    expect(simulation.state.tasks.get('a')!.life).toMatchObject({
      status: 'held',
      reason: expect.stringContaining('longer than it may wait'),
    });
    simulation.command({ type: 'retry', task: 'a' });
    expect(simulation.running).toEqual(['a']);
  });

  test('whose limit ends in quiet hours is asked again when these are over, by every task', () => {
    const flow = workflow(
      [agentTask('a', ['claude']), task('f'), agentTask('b', ['claude'], { needs: ['f'] })],
      {
        usageLimits: { quietHours: { from: 20, to: 40 } },
      },
    );
    const simulation = simulate(flow);
    simulation.end('a', limited(25 * 60_000));
    expect(simulation.state.tasks.get('a')!.life).toMatchObject({ until: 40 * 60_000 });
    simulation.now = 26 * 60_000;
    simulation.end('f', done);
    expect(simulation.state.tasks.get('b')!.life).toMatchObject({ status: 'delayed', until: 40 * 60_000 });
  });

  test('is asked again at once if a person does not want to wait', () => {
    const simulation = simulate(workflow([agentTask('a', ['claude'])]));
    simulation.end('a', limited(simulation.now + 1_000_000));
    simulation.command({ type: 'retry', task: 'a' });
    expect(simulation.running).toEqual(['a']);
  });
});

describe('an agent that cannot be reached', () => {
  test('is replaced by the next one after three transient failures in a row, without using up a try', () => {
    const simulation = simulate(workflow([agentTask('a', ['claude', 'codex'], { retry: tries(9) })]));
    for (let time = 1; time <= 2; time++) {
      simulation.end('a', unreachable);
      simulation.wake();
    }
    simulation.end('a', unreachable);
    const names = eventsOf(simulation, 'attempt.started').map(({ agent }) => agent?.name);
    expect(names).toEqual(['claude', 'claude', 'claude', 'codex']);
    expect(simulation.state.tasks.get('a')!.tally.failures).toBe(2);
  });

  test('is tried again after a while where there is no other, and is well when it answers', () => {
    const simulation = simulate(workflow([agentTask('a', ['claude'], { retry: tries(9) })]));
    for (let time = 1; time <= 2; time++) {
      simulation.end('a', unreachable);
      simulation.wake();
    }
    simulation.end('a', unreachable);
    expect(simulation.state.tasks.get('a')!.life).toMatchObject({ status: 'delayed' });
    simulation.wake();
    simulation.end('a', done);
    expect(simulation.state.breakers.size).toBe(0);
    expect(simulation.status).toBe('succeeded');
  });
});

describe('a budget of the day', () => {
  test('counts what other runs have used, and what would start waits for the next day unless a person raises it', () => {
    const simulation = simulate(workflow([task('f'), agentTask('a', ['claude'], { needs: ['f'] })]));
    simulation.budgetPerDay = { usd: 5 };
    simulation.elsewhere = { ...simulation.elsewhere, usd: 5.5 };
    simulation.end('f', done);
    expect(simulation.state.tasks.get('a')!.life).toMatchObject({
      status: 'delayed',
      until: 90_000_000,
      reason: 'the budget of the day, $5, is used up: $5.50',
    });
    simulation.command({ type: 'raise', task: 'a', unit: 'usd', amount: 1 });
    expect(simulation.running).toEqual(['a']);
  });
});

test('a copy of a session that was lost is copied again, unless the other is lost too; one that never began begins as it was to', () => {
  const flow = workflow([
    agentTask('a', ['claude']),
    agentTask('b', ['claude'], { needs: ['a'], work: { session: { fork: 'a' } } }),
  ]);
  const simulation = simulate(flow);
  openSession(simulation, 'a', 's');
  simulation.end('a', done);
  simulation.end('b', { ...interrupted, neverBegan: true });
  openSession(simulation, 'b', 'copy');
  simulation.end('b', interrupted);
  for (let time = 0; time < 3; time++) simulation.end('b', { ...interrupted, sessionLost: true });

  expect(eventsOf(simulation, 'attempt.started').slice(1)).toMatchObject([
    { agent: { how: 'fork', of: 's' } },
    { agent: { how: 'fork', of: 's' } },
    { agent: { how: 'continue', session: 'copy', rung: 'session' } },
    { agent: { how: 'fork', of: 's', rung: 'transcript' } },
    { agent: { how: 'new', rung: 'transcript' } },
    { agent: { how: 'new', rung: 'transcript' } },
  ]);
});

test('a node of a graph goes on in the session of the last visit of another', () => {
  const writing = { ...agentTask('write', ['claude']), next: [{ to: 'review' }] };
  const reviewing = {
    ...agentTask('review', ['claude'], { work: { session: { continue: 'write' } } }),
    next: [{ to: 'write' }],
  };
  const simulation = simulate(graph([writing, reviewing]));
  for (const visit of [1, 2]) {
    openSession(simulation, `write#${visit}`, `s${visit}`);
    simulation.end(`write#${visit}`, done);
    simulation.end(`review#${visit}`, done);
  }

  expect(eventsOf(simulation, 'attempt.started').filter((_, index) => index % 2 === 1)).toMatchObject([
    { agent: { how: 'continue', session: 's1' } },
    { agent: { how: 'continue', session: 's2' } },
  ]);
});

test('a task goes on in a session with the agent that has it, whichever it would prefer itself', () => {
  const flow = workflow([
    agentTask('a', ['claude', 'codex']),
    agentTask('b', ['codex', 'claude'], { needs: ['a'], work: { session: { continue: 'a' } } }),
  ]);
  const simulation = simulate(flow);
  openSession(simulation, 'a', 's');
  simulation.end('a', done);

  expect(eventsOf(simulation, 'attempt.started')[1]).toMatchObject({
    agent: { name: 'claude', how: 'continue', session: 's' },
  });
});
