import { expect, test } from 'vitest';
import { messages, parsed, parseProblems, places } from './support.ts';

const withText = (line: string) => `
name: x
tasks:
  a:
    function: f
    ${line}
`;

test.each([
  'with: fix issue #42 now',
  'with: See #42',
  'with: { title: fix #42\n    }',
  'for-each:\n      in:\n        - one #two',
])('text that YAML cut at ` #` is refused and told to be quoted: %s', async (line) => {
  const problems = await parseProblems(withText(line));
  expect(messages(problems)).toEqual(['The text is cut off before ` #`.']);
  expect(problems[0]!.remedy).toContain('put all of it in quotes');
});

test('text that was cut is found in conditions, outputs, updates and edges', async () => {
  const tasks = await parseProblems(`
name: x
outputs: all of #1
tasks:
  a: { function: f, if: success() #now
  }
`);
  expect(places(tasks)).toEqual([
    '3:10 The text is cut off before ` #`.',
    '5:25 The text is cut off before ` #`.',
  ]);
  const graph = await parseProblems(`
name: x
state:
  s: some #1
start: a
graph:
  a:
    function: f
    update:
      s: other #2
    next:
      - if: state.s == "" #3
        to: end
`);
  expect(graph.map(({ line }) => line)).toEqual([4, 10, 12]);
});

test('comments behind values are left alone', async () => {
  const { tasks } = await parsed(`
name: x #1
tasks:
  a: #first
    function: f #g
    with: some words # a comment, with a space before it
    timeout: 30s #long enough
    priority: 2 #second
  b:
    needs: a #only
    function: f
    with: 3 #three
  c:
    function: f
    with: 'fix issue #42' #quoted
  d:
    function: f
    with: words ## also a comment
`);
  expect(tasks.map(({ work }) => work.with)).toEqual(['some words', 3, 'fix issue #42', 'words']);
});

test('what is wrong besides cut text is told with it', async () => {
  const problems = await parseProblems(withText('with: See #42\n    needs: nobody'));
  expect(messages(problems)).toEqual(['The text is cut off before ` #`.', 'There is no task `nobody`.']);
});

test('an alias to what it is a part of is refused', async () => {
  const problems = await parseProblems('name: x\ntasks: { a: { function: f, with: &w { x: [*w] } } }\n');
  expect(places(problems)).toEqual(['2:43 `*w` stands for what it is itself a part of: that has no end.']);
});

test('a second document in the file is refused', async () => {
  const problems = await parseProblems('name: x\ntasks: { a: { function: f } }\n---\nname: y\n');
  expect(places(problems)).toEqual(['3:1 A file holds one workflow; here a second document begins.']);
});

test('a file nested too deeply is refused', async () => {
  const nested = (depth: number) => withText(`with: ${'['.repeat(depth)}${']'.repeat(depth)}`);
  await parsed(nested(50));
  expect(messages(await parseProblems(nested(200)))).toEqual(['It is nested more than 100 levels deep.']);
});

test.each([
  ['tasks: { __proto__: { function: f }, a: { function: f } }', 'tasks.__proto__'],
  ['tasks: { a: { function: f, with: { b: { __proto__: 1 } } } }', 'tasks.a.with.b.__proto__'],
])('a key `__proto__` is refused: %s', async (text, path) => {
  const problems = await parseProblems(`name: x\n${text}\n`);
  expect(problems.map((problem) => problem.path)).toEqual([path]);
});

test.each([
  ['tasks: { constructor: { function: f } }', '`constructor` cannot be the name of a task.'],
  [
    'inputs: { constructor: string }\ntasks: { a: { function: f } }',
    '`constructor` cannot be the name of an input.',
  ],
  [
    'state: { constructor: 1 }\nstart: a\ngraph: { a: { function: f, next: end } }',
    '`constructor` cannot be the name of a field.',
  ],
])('a name that expressions cannot read is refused: %s', async (text, message) => {
  expect(messages(await parseProblems(`name: x\n${text}\n`))).toEqual([message]);
});

test.each(['9007199254740993', '-9007199254740993', '0x3fffffffffffff1'])(
  'the whole number %s, which JSON would round, is refused',
  async (number) => {
    const [problem] = await parseProblems(withText(`with: ${number}`));
    expect(problem).toMatchObject({ line: 6, column: 11, path: 'tasks.a.with' });
    expect(problem!.message).toContain(number);
  },
);

test('numbers that are exact, and decimals, are taken as they are', async () => {
  const { tasks } = await parsed(withText('with: [9007199254740991, 1e300, 0.1, "9007199254740993"]'));
  expect(tasks[0]!.work.with).toEqual([9007199254740991, 1e300, 0.1, '9007199254740993']);
});

test('a value cannot pass itself off as a closure', async () => {
  const problems = await parseProblems(withText('with: { $function: steal }'));
  expect(messages(problems)).toEqual(['`$function` cannot be a name or key.']);
});
