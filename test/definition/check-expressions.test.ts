import { expect, test } from 'vitest';
import { parse, parseProblems, places } from './support.ts';

/** `plan` has a schema, `free` has none, `list` is a for-each; `use` is what the test is about. */
const file = (use: string) => `
name: x
inputs: { feature: string, count: integer, tags: [string], options: { type: { a: { b: number } } } }
tasks:
  plan:
    function: f
    output:
      { parts: [{ name: string, size: integer }], ok: boolean, ratio: number, build-dir: string, extra: object }
  free: { function: f }
  list: { function: f, for-each: { in: [1, 2] }, output: { n: integer } }
  use:
    needs: [plan, free, list]
    function: f
    ${use}
`;

const giving = (expression: string) => file(`with: 'so: \${{ ${expression} }}'`);

test.each([
  'inputs.feature + "!"',
  'inputs.count + 1 > 2.5 && inputs.count * tasks.plan.output.ratio < 10',
  'inputs.options.a.b / 2',
  'inputs.count in [1.5, 2]',
  'tasks.plan.output.parts.filter(p, p.size > 2).map(p, p.name)',
  'tasks.plan.output.parts[inputs.count].name',
  'tasks.plan.output.parts[size(tasks.plan.output.parts) - 1].name',
  'tasks.plan.output.build-dir + "/x"',
  'tasks.plan.output.extra.anything.goes',
  'size(tasks.plan.output)',
  'tasks.plan.output == tasks.free.output',
  'has(tasks.plan.output.parts) ? tasks.plan.output.parts : null',
  'inputs.count > 1 ? inputs.count : "few"',
  'tasks.free.output',
  'tasks.free.output == "done"',
  'tasks.free.output.map(x, x)',
  'tasks.free.status == "succeeded" || tasks.free.error.code == "E"',
  'needs.plan.output.ok',
  'tasks.list.outputs.map(o, o.n)[0] + size(tasks.list.items)',
  'tasks.list.items.filter(i, i.status == "failed").map(i, i.key)',
  'run.id + inputs.tags.join(",")',
])('%s is accepted', async (expression) => {
  await expect(parse(giving(expression))).resolves.toBeDefined();
});

test.each([
  ['inputs.featur', 'featur', '`inputs` has no field `featur`.', 'Did you mean `feature`?'],
  ['inputs.feature.length', 'length', "Cannot index type 'string'.", undefined],
  [
    '1 > 2 || inputs.feature + 1 == 2',
    'inputs',
    '`string + number` is not possible.',
    'string() makes text of a number.',
  ],
  ['inputs.feature / 2', 'inputs', 'string cannot be divided.', undefined],
  [
    '1 / 2 > 3 || inputs.featur == ""',
    'featur',
    '`inputs` has no field `featur`.',
    'Did you mean `feature`?',
  ],
  ['tasks.plan.output.pats', 'pats', '`tasks.plan.output` has no field `pats`.', 'Did you mean `parts`?'],
  [
    'has(tasks.plan.output.pats)',
    'pats',
    '`tasks.plan.output` has no field `pats`.',
    'Did you mean `parts`?',
  ],
  ['tasks.plan.output.build-dir.x', 'x', "Cannot index type 'string'.", undefined],
  [
    'tasks.plan.output.parts[0].nme',
    'nme',
    '`tasks.plan.output.parts[0]` has no field `nme`.',
    'Did you mean `name`?',
  ],
  ['tasks.plan.output.parts.map(p, p.nme)', 'nme', '`p` has no field `nme`.', 'Did you mean `name`?'],
  ['tasks.plan.output.parts + 1', 'tasks', '`list<object> + number` is not possible.', undefined],
  ['tasks.plan.outptu', 'outptu', '`tasks.plan` has no field `outptu`.', 'Did you mean `output`?'],
  ['tasks.plan.items', 'items', '`tasks.plan` has no field `items`.', 'It has: status, error, output.'],
  ['tasks.list.output.n', 'n', "List index must be number, got 'string'.", undefined],
  ['feature', 'feature', 'There is no variable `feature` here.', 'There are: inputs, run, tasks, needs.'],
  ['input.feature', 'input', 'There is no variable `input` here.', 'Did you mean `inputs`?'],
  ['shout(inputs.feature)', 'shout', 'There is no function `shout(any)`.', undefined],
  ['size(inputs.count)', 'size', 'There is no function `size(number)`.', undefined],
  ['inputs.count + ', '}}', 'It is not an expression: Unexpected token: end.', undefined],
  [
    'tasks.free.output.title',
    'title',
    'The output of `free` has no schema, so nothing is known of `title`.',
    'Add `output: { title: … }` to `free`.',
  ],
  [
    'needs.free.output["title"]',
    '"title"',
    'The output of `free` has no schema, so nothing is known of `title`.',
    'Add `output: { title: … }` to `free`.',
  ],
])('%s is refused at `%s`', async (...[expression, word, message, remedy]) => {
  const text = giving(expression);
  const problems = await parseProblems(text);
  expect(problems.map((problem) => [problem.message, problem.remedy])).toEqual([[message, remedy]]);
  const { line, column } = problems[0]!;
  const pointed = text.split('\n').at(line! - 1)!;
  expect(pointed.slice(column! - 1).trimStart()).toMatch(new RegExp(`^${word}`));
});

test('a condition must be true or false', async () => {
  expect(places(await parseProblems(file('if: tasks.plan.output.parts')))).toEqual([
    '14:9 A condition must be true or false; this is a list.',
  ]);
  await expect(parse(file('if: tasks.plan.output.ok && inputs.count > 2'))).resolves.toBeDefined();
});

test('a for-each goes through a list', async () => {
  const [problem] = await parseProblems(file('for-each: { in: "${{ inputs.feature }}" }'));
  expect(problem).toMatchObject({
    path: 'tasks.use.for-each.in',
    message: expect.stringContaining('this is text'),
  });
});

const through = (list: string, expression: string) =>
  file(`for-each: { in: ${list}, as: part }\n    with: "\${{ ${expression} }}"`);

test('the item of a for-each has the type of the elements of its list', async () => {
  const parts = '"${{ tasks.plan.output.parts.filter(p, p.size > 1) }}"';
  await expect(parse(through(parts, 'part.name + key'))).resolves.toBeDefined();
  expect((await parseProblems(through(parts, 'part.nam')))[0]!.remedy).toBe('Did you mean `name`?');
  await expect(parse(through('[{ a: 1 }, { a: 2, b: x }]', 'part.a + 1'))).resolves.toBeDefined();
  expect((await parseProblems(through('[{ a: 1 }]', 'part.other')))[0]!.remedy).toBe('It has: a.');
  expect((await parseProblems(through('[1, 2]', "part + 'x'")))[0]!.message).toBe(
    '`number + string` is not possible.',
  );
});

const matrix = (expression: string) =>
  file(`for-each: { matrix: { os: [linux, macos], node: [22, 24] } }\n    with: "\${{ ${expression} }}"`);

test('the item of a matrix has a field for each of its lists', async () => {
  await expect(parse(matrix('matrix.os + string(matrix.node + 1)'))).resolves.toBeDefined();
  expect((await parseProblems(matrix('matrix.arch')))[0]!.remedy).toBe('It has: os, node.');
});

test('the item is seen by the key and the work, not by the condition or the list', async () => {
  const [problem] = await parseProblems(file('for-each: { in: [1] }\n    if: item > 0'));
  expect(problem).toMatchObject({ path: 'tasks.use.if', message: 'There is no variable `item` here.' });
  await expect(parse(file('for-each: { in: [1], key: "${{ item + index }}" }'))).resolves.toBeDefined();
});

const group = (expression: string) => `
name: x
inputs: { n: integer }
tasks:
  plan: { function: f, output: { parts: [{ name: string }] } }
  each:
    needs: plan
    for-each: { in: "\${{ tasks.plan.output.parts }}", as: part }
    tasks:
      one: { function: f, output: { ok: boolean } }
      two: { function: f, needs: one, with: "\${{ ${expression} }}" }
`;

test('tasks in a group see what is around them, with its types', async () => {
  const seen = 'tasks.one.output.ok && part.name == key && size(tasks.plan.output.parts) > inputs.n';
  await expect(parse(group(seen))).resolves.toBeDefined();
  expect((await parseProblems(group('part.nam')))[0]).toMatchObject({
    path: 'tasks.each.tasks.two.with',
    line: 11,
    message: '`part` has no field `nam`.',
  });
});

const reading = (path: string) => `
name: x
tasks:
  group: { tasks: { one: { function: f, output: { ok: boolean } } } }
outputs: "\${{ tasks.group.output.${path} }}"
`;

test('what a group gives is known by its tasks', async () => {
  await expect(parse(reading('one.ok'))).resolves.toBeDefined();
  expect((await parseProblems(reading('two')))[0]!.remedy).toBe('It has: one.');
});

const graph = (node: string) => `
name: x
inputs: { n: integer }
state: { draft: "", ok: false }
start: a
graph:
  a: { function: f, output: { text: string, ok: boolean }, ${node} }
`;

test('a graph sees its state and the output of the node', async () => {
  const update =
    'update: { draft: "${{ output.text + state.draft }}" }, next: [{ if: state.ok || inputs.n > 1, to: end }, { to: a }]';
  await expect(parse(graph(update))).resolves.toBeDefined();
  await expect(
    parse(graph('next: [{ if: failure() && error.code == "E", to: end }, { to: end }]')),
  ).resolves.toBeDefined();
});

test.each([
  ['update: { draft: "${{ output.txt }}" }, next: end', '`output` has no field `txt`.'],
  ['update: { daft: "x" }, next: end', 'The state has no field `daft`.'],
  ['next: [{ if: state.okay, to: end }, { to: end }]', '`state` has no field `okay`.'],
  ['next: [{ if: output.text, to: end }, { to: end }]', 'A condition must be true or false; this is text.'],
  ['with: "${{ output.text }}", next: end', 'There is no variable `output` here.'],
])('a graph is refused for %s', async (node, message) => {
  expect((await parseProblems(graph(node))).map((problem) => problem.message)).toEqual([message]);
});

test('reading the output of a node without schema is refused', async () => {
  const problems = await parseProblems(
    'name: x\nstart: a\nstate: { n: 0 }\ngraph: { a: { function: f, update: { n: "${{ output.n }}" }, next: end } }',
  );
  expect(problems[0]!.message).toBe('The output of `a` has no schema, so nothing is known of `n`.');
});

const inTasks = (tasks: string, head = '') => `name: x\n${head}\ntasks:\n${tasks}\n`;

test.each([
  [
    'a field of text',
    'a: { function: f, output: string }',
    'tasks.a.output.n',
    ["Cannot index type 'string'."],
  ],
  [
    'a field of many outputs',
    'a: { function: f, for-each: { in: [1] } }',
    'tasks.a.output.n',
    ["List index must be number, got 'string'."],
  ],
  ['a field of nobody', 'a: { function: f }', 'tasks.b.output.n', ['There is no task `b`.']],
  ['an output outside of a graph', 'a: { function: f }', 'output.n', ['There is no variable `output` here.']],
  [
    'what could not be understood',
    'a: { uses: gone.yaml }',
    'tasks.a.output.n',
    ['`gone.yaml` cannot be read: there is no gone.yaml'],
  ],
  ['what says nothing to do', 'a: { needs: [] }', 'tasks.a.output.n', ['`a` says nothing to do.']],
  [
    'the item of a for-each that is wrong',
    'a: { function: f }',
    'item.n',
    ['A for-each needs either `in` (a list) or `matrix` (lists by name).'],
    'for-each: {}, ',
  ],
])('reading %s is told once', async (...[_case, other, expression, expected, more = '']) => {
  const text = inTasks(`  ${other}\n  z: { needs: a, function: f, ${more}with: "\${{ ${expression} }}" }`);
  expect((await parseProblems(text)).map(({ message }) => message)).toEqual(expected);
});

test('an input that is called like a task is not taken for it', async () => {
  const head = 'inputs: { a: any }';
  const reader = '  a: { function: f }\n  z: { function: f, with: "${{ inputs.a.output.n }}" }';
  await expect(parse(inTasks(reader, head))).resolves.toBeDefined();
});

test('the outputs of a workflow are told where they stand, and see no output of a node', async () => {
  const text =
    'name: x\nstart: a\ngraph: { a: { function: f, next: end } }\noutputs: { n: ["${{ output.n }}"] }';
  expect(await parseProblems(text)).toMatchObject([
    { path: 'outputs.n[0]', line: 4, message: 'There is no variable `output` here.' },
  ]);
});

test('a node does not see its own output before it has one', async () => {
  const text = 'name: x\nstart: a\ngraph: { a: { function: f, next: end, with: "${{ output.n }}" } }';
  expect((await parseProblems(text)).map(({ message }) => message)).toEqual([
    'There is no variable `output` here.',
  ]);
});

test('names with hyphens are understood in a group as around it', async () => {
  const text = `name: x
inputs: { the-list: [string] }
tasks:
  first-one: { function: f, output: { a-b: string } }
  group:
    needs: first-one
    for-each: { in: "\${{ inputs.the-list }}", as: one-item }
    tasks:
      in-side: { function: f, output: { c-d: integer } }
      z:
        needs: in-side
        function: f
        with: "\${{ tasks.first-one.output.a-b + one-item + string(tasks.in-side.output.c-d + 1) }}"`;
  await expect(parse(text)).resolves.toBeDefined();
  const wrong = text.replace('output.a-b', 'output.a-c');
  expect((await parseProblems(wrong))[0]!.path).toBe('tasks.group.tasks.z.with');
});
