import { expect, test } from 'vitest';
import type { TaskDraft } from '../../src/definition/index.ts';
import { messages, refusal, task, workflow } from './support.ts';

const graph = (nodes: readonly TaskDraft[], start = 'a') => workflow(nodes, { graph: { start } });
const to = (...names: string[]) => ({ next: names.map((name) => ({ to: name })) });

test('a graph may go in circles as long as there is a way out', () => {
  const next = [{ if: 'state.done', to: 'end' }, { to: 'a' }];
  const { form, graph: spec } = graph([task('a', { next })]);
  expect({ form, spec }).toEqual({ form: 'graph', spec: { start: 'a', state: {}, maxSteps: 100 } });
});

test('an edge that leads to no node is refused, and the nearest name suggested', () => {
  const problems = refusal(() => graph([task('a', to('revew')), task('review', to('end'))]));
  expect(problems).toMatchObject([
    { message: 'There is no node `revew`.', path: 'nodes.a.edges[0].to', remedy: 'Did you mean `review`?' },
  ]);
});

test('a graph that starts nowhere is refused', () => {
  expect(messages(refusal(() => graph([task('a', to('end'))], 'b')))).toEqual(['There is no node `b`.']);
  expect(messages(refusal(() => workflow([task('a', to('end'))], { form: 'graph' })))).toEqual([
    'A graph needs `start`: the node where it begins.',
  ]);
});

test('a node that no edge leads to is refused', () => {
  expect(messages(refusal(() => graph([task('a', to('end')), task('b', to('end'))])))).toEqual([
    'No edge leads to `b`.',
  ]);
});

test('a node that nothing follows is refused', () => {
  expect(messages(refusal(() => graph([task('a')])))).toEqual(['Nothing follows `a`.']);
});

test('nodes that can never come to the end are refused', () => {
  const problems = refusal(() => graph([task('a', to('b')), task('b', to('a'))]));
  expect(messages(problems)).toEqual([
    'From `a` the graph can never reach `end`.',
    'From `b` the graph can never reach `end`.',
  ]);
});

const after = (condition: string) => () =>
  graph([task('a', { next: [{ to: 'end' }, { if: condition, to: 'end' }] })]);

test('an edge behind one that always applies is refused, unless it asks for failure', () => {
  expect(messages(refusal(after('state.x')))).toEqual([
    'The edge from `a` to `end` is never taken: one before it has no condition.',
  ]);
  expect(after('failure()')().tasks).toHaveLength(1);
});

test('the node `end` is not to be had', () => {
  expect(messages(refusal(() => graph([task('a', to('end')), task('end', to('a'))])))).toContain(
    'In a graph, `end` is where a run ends, not a node.',
  );
});

test('keys of tasks have no place in a graph, and those of a graph none in tasks', () => {
  const inGraph = refusal(() => graph([task('a', { needs: ['a'], ...to('end') })]));
  expect(inGraph.map(({ path }) => path)).toEqual(['nodes.a.needs']);
  const conditional = refusal(() => graph([task('a', { if: 'true', ...to('end') })]));
  expect(conditional.map(({ path }) => path)).toEqual(['nodes.a.if']);
  const inTasks = refusal(() => workflow([task('a', { update: {}, ...to('end') })]));
  expect(inTasks.map(({ path }) => path)).toEqual(['tasks.a.update', 'tasks.a.edges']);
});

test('the nodes of a graph share the state, not each other', () => {
  const work = { type: 'function', function: 'f', with: '${{ tasks.b.output }}' } as const;
  const [problem] = refusal(() => graph([task('a', { work, ...to('b') }), task('b', to('end'))]));
  expect(problem).toMatchObject({
    path: 'nodes.a.with',
    message: expect.stringContaining('share the state'),
  });
});
