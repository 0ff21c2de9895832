import { describe, expect, test } from 'vitest';
import { decodeState, encodeState, foldCommit, summaryOf, type RunState } from '../../src/kernel/index.ts';
import type { AboutChange, LimitChange } from '../../src/model/index.ts';
import { checkpointOf } from '../../src/views/index.ts';
import { done, simulate, type Simulation } from '../support/simulate.ts';
import { agentTask, graph, node, task, uses, workflow } from '../support/workflows.ts';

const four = workflow(['a', 'b', 'c', 'd'].map((name) => task(name)));
const sender = { user: 'ada', host: 'here', pid: 7 };

function set(simulation: Simulation, ...limits: LimitChange[]) {
  return simulation.command({ type: 'set', limits });
}

function say(simulation: Simulation, about: AboutChange) {
  return simulation.command({ type: 'set', about });
}

function folded({ journal }: Simulation): RunState {
  return journal.reduce<RunState | undefined>((state, commit) => foldCommit(state, commit), undefined)!;
}

describe('what is said of a run', () => {
  test('is changed key by key, and removed by null', () => {
    const simulation = simulate(four);
    say(simulation, {
      name: 'one',
      labels: { team: 'web', stage: 'test' },
      metadata: { n: 1, deep: { x: [] } },
    });
    say(simulation, { name: 'two', labels: { team: null, kind: 'x' }, metadata: { n: null }, group: 'g' });
    const about = {
      name: 'two',
      labels: { stage: 'test', kind: 'x' },
      metadata: { deep: { x: [] } },
      group: 'g',
    };
    expect(simulation.state.about).toEqual(about);
    expect(summaryOf(simulation.state).about).toBe(simulation.state.about);
    expect(folded(simulation).about).toEqual(about);
    expect(decodeState(encodeState(simulation.state)).about).toEqual(about);

    say(simulation, {
      name: null,
      group: null,
      labels: { stage: null, kind: null },
      metadata: { deep: null },
    });
    expect(simulation.state.about).toBeUndefined();
    expect(summaryOf(simulation.state)).not.toHaveProperty('about');
  });

  test('says who said it, and changes nothing else', () => {
    const simulation = simulate(four);
    const { statuses } = simulation;
    simulation.command({ type: 'set', about: { note: 'look' }, sender } as never);
    expect(simulation.statuses).toEqual(statuses);
    expect(simulation.events).toContainEqual({
      type: 'run.described',
      data: { change: { note: 'look' }, by: sender },
    });
  });

  test('may be changed when the run has ended, unlike its limits', () => {
    const simulation = simulate(workflow([task('a')]));
    simulation.end('a', done);
    expect(say(simulation, { name: 'late' })).toEqual({ accepted: true, text: 'name is late' });
    expect(set(simulation, { limit: 'max-parallel', to: 1 })).toMatchObject({
      accepted: false,
      text: expect.stringContaining('has ended (succeeded)'),
    });
    const both = { about: { name: 'never' }, limits: [{ limit: 'max-parallel', to: 1 }] } as const;
    expect(simulation.command({ type: 'set', ...both }).accepted).toBe(false);
    expect(simulation.state.about).toEqual({ name: 'late' });
    expect(simulation.status).toBe('succeeded');
  });

  test.for([
    ['a name of two lines', { name: 'a\nb' }, 'one line'],
    ['an escape sequence', { name: '\u001b]0;mine\u0007' }, 'control characters'],
    ['text that is turned round', { group: 'a\u202eb' }, 'control characters'],
    ['an escape sequence in a note', { note: 'x\u001b[2J' }, 'control characters'],
    ['an empty name', { name: ' ' }, 'empty'],
    ['a long name', { name: 'x'.repeat(201) }, '201 characters'],
    ['a long note', { note: 'x'.repeat(2_001) }, '2001 characters'],
    ['a key that is none', { labels: { 'a b': 'x' } }, 'no key of a label'],
    ['a key with a hidden end', { labels: { 'a\n': 'x' } }, 'no key of a label'],
    ['a prototype', { labels: JSON.parse('{"__proto__":"x"}') as object }, 'no key of a label'],
    ['a label that is a number', { labels: { a: 1 } }, 'must be text'],
    ['labels that are a list', { labels: ['a'] }, 'an object'],
    ['metadata that is a text', { metadata: 'x' }, 'an object'],
    [
      'too many labels',
      { labels: Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`k${n}`, 'x'])) },
      '33',
    ],
    ['more than a row may hold', { metadata: { x: 'y'.repeat(8_000) } }, 'may be 7500'],
    ['a key that is misspelt', { lables: {} }, 'did you mean labels?'],
    ['a key that nobody knows', { fork: {} }, 'known are name'],
  ] as const)('is refused if it is no such thing: %s', ([, about, reason]) => {
    const simulation = simulate(four);
    const answer = say(simulation, about as AboutChange);
    expect(answer).toEqual({ accepted: false, text: expect.stringContaining(reason) });
    expect(simulation.state.about).toBeUndefined();
  });

  test('is bounded as a whole, however small each change is', () => {
    const simulation = simulate(four);
    expect(say(simulation, { metadata: { a: 'y'.repeat(4_000) } }).accepted).toBe(true);
    expect(say(simulation, { metadata: { b: 'y'.repeat(4_000) } })).toMatchObject({ accepted: false });
    expect(say(simulation, { metadata: { a: null } }).accepted).toBe(true);
    expect(say(simulation, { metadata: { b: 'y'.repeat(4_000) } }).accepted).toBe(true);
  });
});

describe('max-parallel', () => {
  test('that is lowered starts nothing new until fewer are running, and ends nothing', () => {
    const simulation = simulate(workflow(four.tasks, { maxParallel: 3 }));
    expect(simulation.running).toEqual(['a', 'b', 'c']);
    expect(set(simulation, { limit: 'max-parallel', to: 1 }).text).toBe(
      'max-parallel is 1 (3 are running: nothing new starts until fewer are)',
    );
    expect(simulation.running).toEqual(['a', 'b', 'c']);
    simulation.end('a', done);
    simulation.end('b', done);
    expect(simulation.running).toEqual(['c']);
    simulation.end('c', done);
    expect(simulation.running).toEqual(['d']);
    simulation.end('d', done);
    expect(simulation.status).toBe('succeeded');
  });

  test('that is raised, or is none any more, starts at once what waited for it', () => {
    const simulation = simulate(workflow(four.tasks, { maxParallel: 1 }));
    set(simulation, { limit: 'max-parallel', to: 2 });
    expect(simulation.running).toEqual(['a', 'b']);
    set(simulation, { limit: 'max-parallel', to: 'none' });
    expect(simulation.running).toEqual(['a', 'b', 'c', 'd']);
    expect(checkpointOf(simulation.state).limits).not.toHaveProperty('maxParallel');
  });

  test('that was not there counts what is running already, and goes again', () => {
    const simulation = simulate(workflow([...four.tasks, task('e', { needs: ['a'] })]));
    set(simulation, { limit: 'max-parallel', to: 3 });
    simulation.end('a', done);
    expect(simulation.running).toEqual(['b', 'c', 'd']);
    set(simulation, { limit: 'max-parallel' });
    expect(simulation.running).toEqual(['b', 'c', 'd', 'e']);
    expect(simulation.state.limits).toEqual({});
    expect(checkpointOf(simulation.state).limits).toBeUndefined();
  });

  test('is of all tasks of the run, also those within others, and leaves what these are limited to', () => {
    const inner = workflow([task('x'), task('y')], { maxParallel: 1 });
    const simulation = simulate(workflow([task('n', { work: uses(inner) }), task('a'), task('b')]));
    expect(simulation.running).toEqual(['a', 'b', 'n.x']);
    set(simulation, { limit: 'max-parallel', to: 2 });
    simulation.end('a', done);
    simulation.end('n.x', done);
    expect(simulation.running).toHaveLength(2);
    set(simulation, { limit: 'max-parallel', to: 'none' });
    expect(simulation.running).toEqual(['b', 'n.y']);
  });

  test('is what an operator said last, after a snapshot and by whoever reads the journal', () => {
    const simulation = simulate(workflow(four.tasks, { maxParallel: 1 }));
    simulation.command({ type: 'set', limits: [{ limit: 'max-parallel', to: 2 }], sender } as never);
    const limits = { 'max-parallel': { to: 2, at: simulation.now, by: sender } };
    expect(folded(simulation).limits).toEqual(limits);
    simulation.crash({ snapshot: true });
    expect(simulation.state.limits).toEqual(limits);
    expect(simulation.running).toHaveLength(2);
    expect(checkpointOf(simulation.state).limits).toEqual({
      maxParallel: 2,
      set: [{ limit: 'max-parallel', to: 2, at: simulation.now, by: sender }],
    });
  });

  test.for([0, -1, 1.5, Number.NaN, '2', null, {}] as const)('cannot be %s', (to) => {
    const simulation = simulate(four);
    const answer = set(simulation, { limit: 'max-parallel', to } as never);
    expect(answer).toEqual({
      accepted: false,
      text: 'max-parallel must be a whole number above zero, or none',
    });
  });

  test('stays when another definition is adopted', () => {
    const simulation = simulate(workflow(four.tasks, { maxParallel: 1 }));
    set(simulation, { limit: 'max-parallel', to: 2 });
    const other = workflow(four.tasks, { maxParallel: 4 });
    simulation.transition(() => [{ type: 'drift.accepted', data: { workflow: other } }]);
    expect(simulation.running).toHaveLength(2);
    set(simulation, { limit: 'max-parallel' });
    expect(simulation.running).toHaveLength(4);
  });
});

describe('the budget of a run', () => {
  const flow = workflow([agentTask('a', ['claude'])], { budget: { usd: 0 } });

  test('that is set is in force in place of that of the workflow, and lets go on what waited for it', () => {
    const simulation = simulate(flow);
    expect(simulation.statuses).toEqual({ a: 'held' });
    expect(set(simulation, { limit: 'budget.usd', to: 5 })).toEqual({
      accepted: true,
      text: 'budget.usd is 5',
    });
    expect(simulation.running).toEqual(['a']);
    expect(checkpointOf(simulation.state).limits?.budget).toEqual({ usd: 5 });
  });

  test('that is set is the whole of it, whatever it was raised by before; what is raised afterwards is added', () => {
    const simulation = simulate(flow);
    simulation.command({ type: 'raise', task: 'a', unit: 'usd', amount: 3 });
    expect(checkpointOf(simulation.state).limits?.budget).toEqual({ usd: 3 });
    set(simulation, { limit: 'budget.usd', to: 5 });
    expect(checkpointOf(simulation.state).limits?.budget).toEqual({ usd: 5 });
    expect(folded(simulation).raised).toEqual({ run: { usd: 0, tokens: 0 } });
    set(simulation, { limit: 'budget.usd', to: 'none' }, { limit: 'budget.tokens', to: 9 });
    expect(checkpointOf(simulation.state).limits?.budget).toEqual({ tokens: 9 });
    set(simulation, { limit: 'budget.usd' }, { limit: 'budget.tokens' });
    expect(checkpointOf(simulation.state).limits?.budget).toEqual({ usd: 0 });
  });

  test('that is set where there was none holds who would use more', () => {
    const simulation = simulate(workflow([task('f'), agentTask('a', ['claude'], { needs: ['f'] })]));
    set(simulation, { limit: 'budget.tokens', to: 0 });
    simulation.end('f', done);
    expect(simulation.statuses).toEqual({ f: 'succeeded', a: 'held' });
    expect(set(simulation, { limit: 'budget.tokens', to: -1 }).accepted).toBe(false);
    expect(set(simulation, { limit: 'budget.usd', to: Infinity }).accepted).toBe(false);
    set(simulation, { limit: 'budget.tokens' });
    expect(simulation.running).toEqual(['a']);
  });
});

describe('max-steps', () => {
  test('of a graph may be changed while it goes round', () => {
    const round = graph([node('a', [{ to: 'b' }]), node('b', [{ to: 'a' }])], { maxSteps: 2 });
    const simulation = simulate(round);
    expect(set(simulation, { limit: 'max-steps', to: 'none' }).text).toBe(
      'max-steps must be a whole number above zero',
    );
    expect(set(simulation, { limit: 'max-steps', to: 3 }).accepted).toBe(true);
    for (const visit of ['a#1', 'b#1', 'a#2']) simulation.end(visit, done);
    expect(simulation.status).toBe('failed');
    expect(simulation.events.at(-1)).toMatchObject({ data: { failure: { code: 'MAX_STEPS' } } });
  });

  test('is no limit of tasks', () => {
    expect(set(simulate(four), { limit: 'max-steps', to: 3 }).text).toContain('a limit of graphs');
  });
});

test('what asks for nothing, or for a limit that there is not, is refused', () => {
  const simulation = simulate(four);
  expect(simulation.command({ type: 'set' })).toEqual({ accepted: false, text: 'nothing is to be set' });
  expect(set(simulation, { limit: 'toString', to: 1 } as never).text).toBe('there is no limit toString');
});
