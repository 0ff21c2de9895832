/** Decisions that name what they were made on: whatever comes between, who comes second is refused, and told. */
import { describe, expect, test } from 'vitest';
import { taskAt } from '../../src/kernel/index.ts';
import type { Command } from '../../src/model/index.ts';
import { done, failedWith, interrupted, simulate, type Simulation } from '../support/simulate.ts';
import { forEach, task, tries, workflow } from '../support/workflows.ts';

/** What a person may decide about the task `a`, from what is seen now. */
type Deciding = (simulation: Simulation) => Command;

const seenIn = ({ state }: Simulation): { readonly task: 'a'; readonly seen: number } => ({
  task: 'a',
  seen: state.version,
});
const retry: Deciding = (simulation) => ({ type: 'retry', ...seenIn(simulation) });
const skip: Deciding = (simulation) => ({ type: 'skip', ...seenIn(simulation) });
const gateOf: (type: 'approve' | 'reject') => Deciding = (type) => (simulation) => {
  const { life } = taskAt(simulation.state, 'a');
  return {
    type,
    task: 'a',
    gate: (life.status === 'held' && life.waitsFor.type === 'gate' && life.waitsFor.gate) || 'none',
  };
};
const placing: (action: 'adopt' | 'discard') => Deciding = (action) => (simulation) => ({
  type: 'place',
  action,
  ...seenIn(simulation),
});

interface Case {
  readonly what: string;
  readonly make: () => Simulation;
  /** Brings `a` to where it was, after the decision that came first: its status alone would not tell. */
  again(simulation: Simulation): void;
  readonly decisions: Readonly<Record<string, Deciding>>;
}

const endIfRunning = (simulation: Simulation, outcome: Parameters<Simulation['end']>[1]): void => {
  if (simulation.running.includes('a')) simulation.end('a', outcome);
};

/** They keep the run going. */
const beside = [task('other'), task('more')];

const cases: readonly Case[] = [
  {
    what: 'is held',
    make: () => {
      const simulation = simulate(workflow([task('a', { onInterrupt: 'ask' }), ...beside]));
      simulation.end('a', interrupted);
      return simulation;
    },
    again: (simulation) => endIfRunning(simulation, interrupted),
    decisions: { retry, skip },
  },
  {
    what: 'has failed',
    make: () => {
      const simulation = simulate(workflow([task('a'), ...beside]));
      simulation.end('a', failedWith());
      return simulation;
    },
    again: (simulation) => endIfRunning(simulation, failedWith()),
    decisions: { retry, skip },
  },
  {
    what: 'waits for its next try',
    make: () => {
      const simulation = simulate(workflow([task('a', { retry: tries(9) }), ...beside]));
      simulation.end('a', failedWith());
      return simulation;
    },
    again: (simulation) => endIfRunning(simulation, failedWith()),
    decisions: { retry, skip },
  },
  {
    what: 'asks a person',
    make: () => simulate(workflow([task('a', { approval: 'Do it?' }), ...beside])),
    again: (simulation) => endIfRunning(simulation, done),
    decisions: { approve: gateOf('approve'), reject: gateOf('reject'), skip },
  },
  {
    what: 'is held for its place',
    make: () => {
      const simulation = simulate(workflow([task('a', { onInterrupt: 'ask' }), ...beside]));
      const data = { path: '/trees/a', branch: 'piton-tasks/r/a', base: 'c0', token: 't' };
      simulation.transition(() => [{ type: 'workspace.prepared', task: 'a', data }]);
      simulation.end('a', interrupted);
      return simulation;
    },
    again: (simulation) => endIfRunning(simulation, interrupted),
    decisions: { retry, skip, adopt: placing('adopt'), discard: placing('discard') },
  },
];

describe.each(cases)('of a task that $what', ({ make, again, decisions }) => {
  const names = Object.keys(decisions);
  const pairs = names.flatMap((first) => names.map((second) => [first, second] as const));

  test.each(pairs)('%s, then %s on what was seen before: refused, and it says why', (first, second) => {
    const simulation = make();
    const late = decisions[second]!(simulation);
    expect(simulation.command(decisions[first]!(simulation))).toMatchObject({ accepted: true });
    again(simulation);
    const before = simulation.events.length;
    const answer = simulation.command(late);
    expect(answer).toMatchObject({ accepted: false, text: expect.stringMatching(/^a /) });
    expect(simulation.events.slice(before).map(({ type }) => type)).toEqual(['command.decided']);
  });

  test.each(names)('%s on what is seen now is taken, however much happened elsewhere', (name) => {
    const simulation = make();
    const decision = decisions[name]!(simulation);
    simulation.command({ type: 'pause' });
    simulation.command({ type: 'resume' });
    simulation.end('other', done);
    expect(simulation.command(decision)).toMatchObject({ accepted: true });
  });
});

test('what was under way when its driver died may have ended since: that is no reason to refuse', () => {
  const simulation = simulate(workflow([task('a'), ...beside]));
  const { version: seen } = simulation.state;
  simulation.mayStart = false;
  simulation.end('a', interrupted);
  expect(simulation.command({ type: 'skip', task: 'a', seen })).toMatchObject({ accepted: true });
});

test('what has begun by itself since is not what was decided about either', () => {
  const simulation = simulate(workflow([task('a', { retry: tries(2) })]));
  simulation.end('a', failedWith());
  const { version: seen } = simulation.state;
  simulation.wake();
  simulation.command({ type: 'pause' });
  simulation.end('a', failedWith());
  expect(simulation.takeUp({ again: ['a'], seen })).toMatch('a has gone on since you looked at it');
});

test('what is to be done again is another thing than before, also while it waits', () => {
  const simulation = simulate(workflow([task('a'), ...beside]));
  simulation.end('a', failedWith());
  const { version: seen } = simulation.state;
  simulation.mayStart = false;
  simulation.command({ type: 'retry', task: 'a', seen });
  expect(simulation.statusOf('a')).toBe('queued');
  expect(simulation.command({ type: 'skip', task: 'a', seen }).accepted).toBe(false);
});

test('so are items that were made anew', () => {
  const items = task('a', { forEach: forEach(['x', 'y']) });
  const simulation = simulate(workflow([items, ...beside]));
  simulation.end('a[x]', failedWith());
  simulation.end('a[y]', failedWith());
  const { version: seen } = simulation.state;
  simulation.mayStart = false;
  simulation.command({ type: 'retry', task: 'a', seen });
  expect(simulation.statusOf('a[x]')).toBe('queued');
  expect(simulation.command({ type: 'skip', task: 'a[x]', seen })).toEqual({
    accepted: false,
    text: expect.stringContaining('since you looked at it'),
  });
});

test('of several that are done again together, each must be as it was', () => {
  const simulation = simulate(workflow([task('a'), task('b'), ...beside]));
  simulation.end('a', failedWith());
  simulation.end('b', failedWith());
  const { version: seen } = simulation.state;
  simulation.command({ type: 'retry', task: 'b' });
  simulation.end('b', failedWith());
  expect(simulation.command({ type: 'retry', task: 'a', also: ['b'], seen })).toEqual({
    accepted: false,
    text: 'b has gone on since you looked at it: it is failed now',
  });
});

describe('a run that has ended is taken up again', () => {
  const failed = (): Simulation => {
    const simulation = simulate(workflow([task('a'), task('b', { needs: ['a'] })]));
    simulation.end('a', failedWith());
    return simulation;
  };

  test.each(['again', 'skipped'] as const)('by one of two who saw it so (%s)', (how) => {
    const simulation = failed();
    const { version: seen } = simulation.state;
    expect(simulation.takeUp({ again: ['a'], seen })).toBeUndefined();
    simulation.end('a', failedWith());
    expect(simulation.takeUp({ [how]: ['a'], seen })).toBe(
      'a has gone on since you looked at it: it is failed now',
    );
  });

  test('and the other way round', () => {
    const simulation = failed();
    const { version: seen } = simulation.state;
    expect(simulation.takeUp({ skipped: ['a'], seen })).toBeUndefined();
    expect(simulation.takeUp({ again: ['a'], seen })).toBe(
      'a has gone on since you looked at it: it is skipped now',
    );
  });

  test('but not if somebody has had it cancelled since', () => {
    const simulation = simulate(workflow([task('a'), task('b')]));
    simulation.end('a', done);
    const { version: seen } = simulation.state;
    simulation.command({ type: 'cancel', reason: 'enough' });
    simulation.end('b', { type: 'cancelled', reason: 'enough' });
    expect(simulation.takeUp({ again: ['a'], seen })).toBe('it has been cancelled since you looked at it');
    const { version } = simulation.state;
    expect(simulation.takeUp({ again: ['a'], seen: version, rerunSucceeded: ['a'] })).toBeUndefined();
  });

  test('as a whole or in part: the items of one that was begun anew are others', () => {
    const items = workflow([task('a', { forEach: forEach(['x', 'y']) })]);
    const simulation = simulate(items, { script: () => failedWith() });
    simulation.drain();
    const { version: seen } = simulation.state;
    expect(simulation.takeUp({ again: ['a[x]', 'a[y]'], seen })).toBeUndefined();
    expect(simulation.takeUp({ again: ['a'], seen })).toMatch('a has gone on since you looked at it');
    simulation.drain();
    const now = simulation.state.version;
    expect(simulation.takeUp({ again: ['a'], seen: now })).toBeUndefined();
    expect(simulation.takeUp({ again: ['a[x]'], seen: now })).toMatch('since you looked at it');
  });
});

test('a snapshot keeps what decisions are compared with', () => {
  const simulation = simulate(workflow([task('a'), ...beside]));
  simulation.end('a', failedWith());
  const { version: seen } = simulation.state;
  simulation.command({ type: 'retry', task: 'a', seen });
  simulation.end('a', failedWith());
  simulation.crash({ snapshot: true });
  expect(simulation.command({ type: 'retry', task: 'a', seen }).accepted).toBe(false);
});
