import { expect, test } from 'vitest';
import { parse, parseProblems, places } from './support.ts';

/** `plan` has a schema, `free` has none; `use` is what the test is about. */
const file = (use: string, rest = '') => `
name: x
inputs: { feature: string, count: integer, tags: [string], options: { type: { a: { b: number } } } }
tasks:
  plan: { function: f, output: { parts: [{ name: string, size: integer }], ok: boolean, ratio: number, build-dir: string, extra: object } }
  free: { function: f }
  list: { function: f, for-each: { in: [1, 2] }, output: { n: integer } }
  use:
    needs: [plan, free, list]
    ${use}
${rest}`;

const withExpression = (expression: string) => file(`{ function: f, with: '\${{ ${expression} }}' }`.slice(2, -2).replace(', with', '\n    with'));

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
  await expect(parse(withExpression(expression))).resolves.toBeDefined();
});

test.each([
  ['inputs.featur', 19, '`inputs` has no field `featur`.', 'Did you mean `feature`?'],
  ['inputs.feature.length', 27, 'Cannot index type \'string\'.', undefined],
  ['inputs.feature + 1', 12, '`string + number` is not possible.', 'string() makes text of a number.'],
  ['inputs.feature / 2', 12, 'string cannot be divided.', undefined],
  ['tasks.plan.output.pats', 30, '`tasks.plan.output` has no field `pats`.', 'Did you mean `parts`?'],
  ['tasks.plan.output.parts[0].nme', 39, '`tasks.plan.output.parts[0]` has no field `nme`.', 'Did you mean `name`?'],
  ['tasks.plan.output.parts.map(p, p.nme)', 45, '`p` has no field `nme`.', 'Did you mean `name`?'],
  ['tasks.plan.output.parts + 1', 12, '`list<object> + number` is not possible.', undefined],
  ['tasks.plan.outptu', 23, '`tasks.plan` has no field `outptu`.', 'Did you mean `output`?'],
  ['tasks.plan.items', 23, '`tasks.plan` has no field `items`.', expect.any(String)],
  ['tasks.list.output.n', 30, "List index must be int, got 'string'.", undefined],
  ['feature', 12, 'There is no variable `feature` here.', expect.stringContaining('There are: inputs')],
  ['input.feature', 12, 'There is no variable `input` here.', 'Did you mean `inputs`?'],
  ['item', 12, 'There is no variable `item` here.', expect.any(String)],
  ['shout(inputs.feature)', 12, 'There is no function `shout(any)`.', undefined],
  ['size(inputs.count)', 12, 'There is no function `size(number)`.', undefined],
  ['inputs.count +', 26, 'It is not an expression: Unexpected token: end.', undefined],
  ['tasks.free.output.title', 30, 'The output of `free` has no schema, so nothing is known of `title`.', 'Add `output: { title: … }` to `free`.'],
  ['needs.free.output["title"]', 30, 'The output of `free` has no schema, so nothing is known of `title`.', expect.any(String)],
])('%s is refused at its place', async (expression, column, message, remedy) => {
  const [problem, ...others] = await parseProblems(withExpression(expression));
  expect(others).toEqual([]);
  expect(problem).toMatchObject({ line: 11, column, message });
  expect(problem!.remedy).toEqual(remedy);
});
