import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/base/index.ts';
import { plan, scopeAt } from '../../src/kernel/index.ts';
import type { Outcome, Variables } from '../../src/model/index.ts';
import { done, failedWith, simulate, succeededWith, type Simulation } from '../support/simulate.ts';
import { stubEvaluator } from '../support/stub-evaluator.ts';
import { body, forEach, graph, node, task, tries, uses, workflow } from '../support/workflows.ts';

function stateOf(simulation: Simulation, owner = ''): Json {
  return scopeAt(simulation.state, owner).graph!.state;
}

function failureOf({ state: { phase } }: Simulation): unknown {
  return phase.status === 'failed' ? phase.failure : undefined;
}

function update(given: object): Outcome {
  return { type: 'succeeded', update: given };
}

const refine = graph(
  [node('write', 'review'), node('review', [{ if: 'state.ok', to: 'end' }, { to: 'write' }])],
  { state: { draft: '', ok: false } },
);

describe('visits and edges', () => {
  test('a graph goes round until an edge leads to its end, each visit with an address of its own', () => {
    const simulation = simulate(refine);
    simulation.end('write#1', update({ draft: 'bad' }));
    simulation.end('review#1', update({ ok: false }));
    simulation.end('write#2', update({ draft: 'good' }));
    simulation.end('review#2', update({ ok: true }));
    expect(simulation.status).toBe('succeeded');
    expect(stateOf(simulation)).toEqual({ draft: 'good', ok: true });
    expect(simulation.all('edge.taken').map(({ data }) => data)).toEqual([
      { from: null, to: 'write', step: 1 },
      { from: 'write', to: 'review', step: 2 },
      { from: 'review', to: 'write', step: 3 },
      { from: 'write', to: 'review', step: 4 },
      { from: 'review', to: 'end', step: 4 },
    ]);
  });

  test('the first edge that applies is taken, and those after it are not looked at', () => {
    const looked: string[] = [];
    const say = (name: string, answer: boolean) => () => {
      looked.push(name);
      return answer;
    };
    const flow = graph([
      node('a', [
        { if: { $function: 'first' }, to: 'b' },
        { if: { $function: 'second' }, to: 'c' },
        { if: { $function: 'third' }, to: 'a' },
      ]),
      node('b', 'end'),
      node('c', 'end'),
    ]);
    const closures = { first: say('first', false), second: say('second', true), third: say('third', true) };
    const simulation = simulate(flow, { closures });
    simulation.end('a#1', done);
    expect(simulation.running).toEqual(['c#1']);
    expect(looked).toEqual(['first', 'second']);
  });

  test('an edge sees the state after the visit, and the output of the visit', () => {
    const seen: Variables[] = [];
    const look = (variables: Variables): boolean => seen.push(variables) > 0;
    const flow = graph([node('a', [{ if: { $function: 'look' }, to: 'end' }])], { state: { n: 0 } });
    const simulation = simulate(flow, { closures: { look } });
    simulation.end('a#1', succeededWith({ n: 5 }));
    expect(seen[0]).toMatchObject({ state: { n: 5 }, output: { n: 5 } });
  });

  test('an edge that was taken is not evaluated again when the journal is folded anew', () => {
    const evaluator = stubEvaluator({ go: () => true });
    const flow = graph([node('a', [{ if: { $function: 'go' }, to: 'b' }]), node('b', 'end')]);
    const simulation = simulate(flow, { evaluator });
    simulation.end('a#1', done);
    const asked = evaluator.calls;
    plan(simulation.replayed(), simulation.world, { seq: 9, at: 0 });
    expect(evaluator.calls).toBe(asked);
  });

  test('where no edge applies the run fails and says at which node', () => {
    const simulation = simulate(
      graph([node('a', [{ if: 'state.ok', to: 'end' }])], { state: { ok: false } }),
    );
    simulation.end('a#1', done);
    expect(failureOf(simulation)).toMatchObject({
      code: 'NO_EDGE',
      message: expect.stringContaining('from a applies') as string,
    });
  });

  test('an edge whose condition cannot be evaluated fails the run', () => {
    const simulation = simulate(graph([node('a', [{ if: 'state.missing', to: 'end' }])]));
    simulation.end('a#1', done);
    expect(failureOf(simulation)).toMatchObject({ code: 'EXPRESSION_FAILED' });
  });

  test('max-steps visits are allowed and not one more', () => {
    const simulation = simulate(graph([node('a', 'a')], { maxSteps: 3 })).drain();
    expect(failureOf(simulation)).toMatchObject({ code: 'MAX_STEPS' });
    expect(simulation.all('attempt.started').map(({ task }) => task)).toEqual(['a#1', 'a#2', 'a#3']);
  });

  test('the last visit that max-steps allows may lead to the end', () => {
    const flow = graph([node('a', 'b'), node('b', 'end')], { maxSteps: 2 });
    expect(simulate(flow).drain().status).toBe('succeeded');
  });
});

describe('failures', () => {
  test('a failed visit that no edge asks for fails the run with the reason of the visit', () => {
    const simulation = simulate(graph([node('a', 'end')]));
    simulation.end('a#1', failedWith());
    expect(failureOf(simulation)).toMatchObject({ code: 'BROKEN', message: 'a#1 failed: it is broken' });
  });

  test('a failed visit is left by the first edge that asks for failures, never by a plain one', () => {
    const flow = graph([
      node('a', [{ to: 'b' }, { if: 'failure()', to: 'mend' }]),
      node('mend', 'end'),
      node('b', 'end'),
    ]);
    const simulation = simulate(flow);
    simulation.end('a#1', failedWith());
    expect(simulation.running).toEqual(['mend#1']);
    expect(simulation.drain().status).toBe('succeeded');
  });

  test('an edge after a failure sees what went wrong', () => {
    const flow = graph([node('a', [{ if: 'always()', to: 'b' }]), node('b', 'end')]);
    const seen: Variables[] = [];
    const evaluator = stubEvaluator();
    const simulation = simulate(flow, {
      evaluator: { ...evaluator, test: (_, variables) => seen.push(variables) > 0 },
    });
    simulation.end('a#1', failedWith());
    expect(seen[0]).toMatchObject({ error: { code: 'BROKEN' }, $status: { failure: true } });
  });

  test('with continue-on-error a failed visit is left as if nothing had happened', () => {
    const flow = graph([node('a', 'end', { continueOnError: true })], { state: { n: 1 } });
    const simulation = simulate(flow);
    simulation.end('a#1', failedWith());
    expect(simulation.status).toBe('succeeded');
    expect(stateOf(simulation)).toEqual({ n: 1 });
  });

  test('a visit is tried again under the same address', () => {
    const simulation = simulate(graph([node('a', 'end', { retry: tries(2) })]), {
      script: ({ failures }) => (failures === 0 ? failedWith() : done),
    }).drain();
    expect(simulation.all('attempt.started').map(({ task, data }) => [task, data.number])).toEqual([
      ['a#1', 1],
      ['a#1', 2],
    ]);
    expect(simulation.status).toBe('succeeded');
  });

  test('a visit that the operator skips is left like one that changed nothing', () => {
    const simulation = simulate(graph([node('a', 'b', { retry: tries(2) }), node('b', 'end')]));
    simulation.end('a#1', failedWith());
    expect(simulation.command({ type: 'skip', task: 'a#1' }).accepted).toBe(true);
    expect(simulation.running).toEqual(['b#1']);
  });

  test('a node whose own condition does not hold is passed by', () => {
    const flow = graph([node('a', 'b', { if: { $function: 'no' } }), node('b', 'end')]);
    const simulation = simulate(flow, { closures: { no: () => false } });
    expect(simulation.running).toEqual(['b#1']);
  });

  test('a visit that was cancelled by itself ends the run, and the reason says so', () => {
    const simulation = simulate(graph([node('a', 'end')]));
    simulation.end('a#1', { type: 'cancelled', reason: 'it gave up' });
    expect(failureOf(simulation)).toMatchObject({ message: 'a#1 was cancelled: it gave up' });
  });
});

describe('state', () => {
  test('a run may begin with other values of the same fields', () => {
    const simulation = simulate(refine, { state: { draft: 'mine' } });
    expect(stateOf(simulation)).toEqual({ draft: 'mine', ok: false });
  });

  test('what a visit appends to a long list is journalled as what was appended', () => {
    const list = Array.from({ length: 1_000 }, (_, index) => ({ index }));
    const simulation = simulate(graph([node('a', 'end')], { state: { list } }));
    const before = (stateOf(simulation) as { list: Json[] }).list;
    simulation.end('a#1', update({ list: [...before, { index: 1_000 }] }));
    expect(simulation.all('state.updated').map(({ data }) => data.patch)).toEqual([
      [{ op: 'splice', path: ['list'], at: 1_000, remove: 0, items: [{ index: 1_000 }] }],
    ]);
  });

  test('a visit that changes nothing journals no change', () => {
    const simulation = simulate(graph([node('a', 'end')], { state: { n: { deep: [1] } } }));
    simulation.end('a#1', update({ n: { deep: [1] } }));
    expect(simulation.all('state.updated')).toEqual([]);
  });

  test('the output of a node is what it changes, unless `update` says otherwise', () => {
    const flow = graph([node('a', 'b'), node('b', 'end', { update: { last: '${{ output.text }}' } })], {
      state: { text: '', last: '' },
    });
    const simulation = simulate(flow);
    simulation.end('a#1', succeededWith({ text: 'one' }));
    simulation.end('b#1', succeededWith({ text: 'two' }));
    expect(stateOf(simulation)).toEqual({ text: 'one', last: 'two' });
  });

  test('a change that is no object fails the visit, and the state stays as it was', () => {
    const simulation = simulate(graph([node('a', 'end')], { state: { n: 1 } }));
    simulation.end('a#1', { type: 'succeeded', output: 'text' });
    expect(simulation.all('attempt.ended')[0]!.data.outcome).toBe('failed');
    expect(simulation.statusOf('a#1')).toBe('failed');
    expect(stateOf(simulation)).toEqual({ n: 1 });
  });

  test('a change that JSON cannot keep fails the visit and names the place', () => {
    const simulation = simulate(graph([node('a', 'end')]));
    simulation.end('a#1', update({ list: [1, Number.NaN] }));
    expect(failureOf(simulation)).toMatchObject({
      code: 'NOT_SERIALISABLE',
      message: expect.stringContaining('state.list[1]') as string,
    });
  });

  test('a nested workflow can be a node; what it gives becomes the change', () => {
    const child = workflow([task('x')], { outputs: { text: '${{ tasks.x.output }}' } });
    const simulation = simulate(graph([node('a', 'end', { work: uses(child) })], { state: { text: '' } }));
    simulation.end('a#1.x', succeededWith('from the child'));
    expect(simulation.status).toBe('succeeded');
    expect(stateOf(simulation)).toEqual({ text: 'from the child' });
  });

  test('`update` sees the output of a nested workflow, with or without outputs of its own', () => {
    const given = { update: { last: '${{ output.x }}' } };
    const flow = graph([node('a', 'end', { work: body(workflow([task('x')])), ...given })], {
      state: { last: 0 },
    });
    const simulation = simulate(flow);
    simulation.end('a#1.x', succeededWith(7));
    expect(stateOf(simulation)).toEqual({ last: 7 });
  });

  test('a graph within a graph has a state of its own and gives it to the outer one', () => {
    const inner = graph([node('count', [{ if: 'state.full', to: 'end' }, { to: 'count' }])], {
      state: { n: 0, full: false },
    });
    const simulation = simulate(graph([node('a', 'end', { work: uses(inner) })], { state: { n: -1 } }));
    simulation.end('a#1.count#1', update({ n: 1 }));
    expect(stateOf(simulation)).toEqual({ n: -1 });
    simulation.end('a#1.count#2', update({ n: 2, full: true }));
    expect(stateOf(simulation)).toEqual({ n: 2, full: true });
  });

  test('a for-each can be a node, and `update` sees the list of outputs', () => {
    const flow = graph([node('a', 'end', { forEach: forEach([1, 2]), update: { all: '${{ output }}' } })], {
      state: { all: [] },
    });
    const simulation = simulate(flow);
    simulation.end('a#1[2]', succeededWith('two'));
    simulation.end('a#1[1]', succeededWith('one'));
    expect(simulation.status).toBe('succeeded');
    expect(stateOf(simulation)).toEqual({ all: ['one', 'two'] });
  });

  test('a for-each node without `update` leaves the state as it was', () => {
    const flow = graph([node('a', 'end', { forEach: forEach([1]) })], { state: { n: 1 } });
    const simulation = simulate(flow);
    simulation.end('a#1[1]', succeededWith({ n: 2 }));
    expect(simulation.status).toBe('succeeded');
    expect(stateOf(simulation)).toEqual({ n: 1 });
  });
});
