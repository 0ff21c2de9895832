import { expect, test } from 'vitest';
import type { TaskDraft } from '../../src/definition/index.ts';
import { parse, task, workflow } from './support.ts';

const writer = (name: string, writes: string, rest: Partial<TaskDraft> = {}) =>
  task(name, { writes: [writes], ...rest });
const locksOf = (...tasks: TaskDraft[]) => workflow(tasks).tasks.map(({ locks }) => locks);

test('tasks that may write the same files and are not ordered share a lock', () => {
  expect(locksOf(writer('a', 'src/**'), writer('b', 'src/main.ts'), writer('c', 'docs/*.md'))).toEqual([
    ['writes:1'],
    ['writes:1'],
    [],
  ]);
});

test('tasks that are ordered by their needs share none', () => {
  const tasks = [writer('a', 'src/**'), task('b', { needs: ['a'] }), writer('c', 'src/**', { needs: ['b'] })];
  expect(locksOf(...tasks)).toEqual([[], [], []]);
});

test('tasks whose files lie apart share none, though a third that comes after both writes over them', () => {
  const tasks = [
    writer('a', 'docs/a/**'),
    writer('b', 'docs/b/**'),
    writer('c', 'docs/**', { needs: ['a', 'b'] }),
  ];
  expect(locksOf(...tasks)).toEqual([[], [], []]);
});

test('whoever is connected by overlaps shares one lock, beside locks of its own', () => {
  const tasks = [
    writer('a', 'src/a/**', { locks: ['db'] }),
    writer('b', 'src/**'),
    writer('c', 'src/c/**'),
    writer('d', 'web/*'),
    writer('e', 'web/**'),
  ];
  expect(locksOf(...tasks)).toEqual([
    ['db', 'writes:1'],
    ['writes:1'],
    ['writes:1'],
    ['writes:2'],
    ['writes:2'],
  ]);
});

test.each([
  ['src/a.ts', 'src/a.ts', true],
  ['src/a.ts', 'src/a.tsx', false],
  ['src/a', 'src/a/b.ts', true],
  ['./src/', 'src/b.ts', true],
  ['*.md', 'src/x', true],
  ['src/*.ts', 'src/*.md', true],
  ['src/[ab].ts', 'src/c.ts', true],
  ['src', 'srcs/**', false],
])('%s and %s may overlap: %s', (one, other, overlap) => {
  const [first] = locksOf(writer('a', one), writer('b', other));
  expect(first).toEqual(overlap ? ['writes:1'] : []);
});

test('thousands of writers share one lock without being compared', () => {
  const tasks = Array.from({ length: 2_000 }, (_, index) => writer(`t${index}`, `out/${index}`));
  expect(new Set(locksOf(...tasks).flat())).toEqual(new Set(['writes:1']));
});

test('a file whose tasks share a lock is accepted with the suggestion to order them', async () => {
  const { suggestions } = await parse(`
name: test
tasks:
  a: { function: f, writes: src/** }
  b: { function: f, writes: src/main.ts }
`);
  expect(suggestions).toMatchObject([{ file: 'main.yaml', line: 5, path: 'tasks.b.writes' }]);
  expect(suggestions[0]!.message).toContain('`a`, `b` may write the same files');
});

test('nodes of a graph run one after the other, and need none', async () => {
  const text = `{ name: w, start: a, graph: { a: { run: x, writes: [src], next: b }, b: { run: y, writes: [src], next: end } } }`;
  const { workflow: flow } = await parse(text);
  expect(flow?.tasks.map(({ locks }) => locks)).toEqual([[], []]);
});

test.for([
  [2, '`t1`, `t2` may write the same files'],
  [5, '`t1`, `t2`, `t3`, `t4`, `t5` may write the same files'],
  [7, '`t1`, `t2`, `t3`, `t4`, `t5` and 2 more may write the same files'],
] as const)('of %s that share one, it is said who they are', async ([count, text]) => {
  const names = Array.from({ length: count }, (_, index) => `t${index + 1}`);
  const tasks = names.map((name) => `${name}: { run: x, writes: [src] }`);
  const { suggestions } = await parse(`{ name: w, tasks: { ${tasks.join(', ')} } }`);
  expect(suggestions).toMatchObject([
    { path: `tasks.t${count}.writes`, message: expect.stringMatching(`^${text}`) as string },
  ]);
});

test('one of several patterns that overlaps is enough', () => {
  const tasks = [task('a', { writes: ['docs', 'src'] }), task('b', { writes: ['web', 'src'] })];
  expect(locksOf(...tasks)).toEqual([['writes:1'], ['writes:1']]);
});

test('needs are followed whatever order the tasks stand in', () => {
  const tasks = [
    writer('last', 'src', { needs: ['middle'] }),
    task('middle', { needs: ['first'] }),
    writer('first', 'src'),
  ];
  expect(locksOf(...tasks)).toEqual([[], [], []]);
});
