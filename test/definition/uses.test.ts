import { expect, test } from 'vitest';
import { parse, parsed, parseProblems, places } from './support.ts';

const child =
  'name: child\ninputs: { color: string }\ntasks: { t: { function: f, output: { n: integer } } }\n';
const user = (path: string) => `name: x\ntasks: { a: { uses: ${path}, with: { color: red } } }`;

test('a workflow file can be used as a task', async () => {
  const { tasks } = await parsed(user('./child.yaml'), { 'child.yaml': child });
  expect(tasks[0]!.work).toMatchObject({
    type: 'workflow',
    inherits: false,
    with: { color: 'red' },
    workflow: { name: 'child', hash: expect.any(String) },
  });
});

test('paths are relative to the file they stand in', async () => {
  const { tasks } = await parsed(user('./sub/child.yaml'), {
    'sub/child.yaml': 'name: child\ninputs: { color: string }\ntasks: { b: { uses: ../other/leaf.yaml } }',
    'other/leaf.yaml': 'name: leaf\ntasks: { t: { function: f } }',
  });
  expect(tasks[0]!.work).toMatchObject({ workflow: { tasks: [{ work: { workflow: { name: 'leaf' } } }] } });
});

test('a file that several tasks use is one workflow, and what is wrong with it is told once, in its own place', async () => {
  const text =
    'name: x\ntasks: { a: { uses: bad.yaml }, b: { uses: ./bad.yaml }, c: { function: f, timeout: soon } }';
  const problems = await parseProblems(text, { 'bad.yaml': 'name: bad\ntasks:\n  t: { functio: f }\n' });
  expect(problems).toMatchObject([
    { file: 'main.yaml', line: 2, message: '`soon` is no time span.' },
    { file: 'bad.yaml', line: 3, column: 8, message: 'There is no key `functio` here.' },
  ]);
});

test('files that use each other are refused, and the circle is shown', async () => {
  const problems = await parseProblems(user('b.yaml'), {
    'b.yaml': user('./c.yaml'),
    'c.yaml': user('main.yaml'),
  });
  expect(problems).toMatchObject([
    {
      file: 'c.yaml',
      line: 2,
      message: 'These files use each other in a circle: main.yaml → b.yaml → c.yaml → main.yaml.',
    },
  ]);
});

test('a circle that hides behind other names comes to an end', async () => {
  const problems = await parseProblems(
    user('../here/main.yaml'),
    new Proxy({}, { get: () => user('../here/main.yaml') }),
  );
  expect(problems[0]!.message).toContain('in a circle');
});

test('a file that cannot be read is refused where it is used', async () => {
  expect(places(await parseProblems(user('gone.yaml')))).toEqual([
    '2:21 `gone.yaml` cannot be read: there is no gone.yaml',
  ]);
});

test('inputs of the file used must be given, and no others', async () => {
  const text = 'name: x\ntasks: { a: { uses: child.yaml, with: { colour: red } } }';
  const problems = await parseProblems(text, { 'child.yaml': child });
  expect(problems).toMatchObject([
    { path: 'tasks.a.with', message: 'The workflow `child` needs the input `color`.' },
    { path: 'tasks.a.with.colour', remedy: 'Did you mean `color`?' },
  ]);
});

const reading = (field: string) => `${user('child.yaml')}\noutputs: { n: "\${{ tasks.a.output.${field} }}" }`;

test('what a file used gives back can be read, field by field', async () => {
  const files = { 'child.yaml': child };
  await expect(parse(reading('t.n'), files)).resolves.toBeDefined();
  expect((await parseProblems(reading('t.m'), files))[0]!.message).toBe(
    '`tasks.a.output.t` has no field `m`.',
  );
  const named = { 'child.yaml': `${child}outputs: { sum: "\${{ tasks.t.output.n }}" }` };
  await expect(parse(reading('sum'), named)).resolves.toBeDefined();
  expect((await parseProblems(reading('t'), named))[0]!.remedy).toBe('It has: sum.');
});

test('that budgets and usage limits of a file used do not hold here is told', async () => {
  const limited =
    '{ name: inner, budget: { usd: 1 }, usage-limits: { wait: 1h }, tasks: { a: { run: ls } } }';
  const { suggestions } = await parse('name: x\ntasks: { a: { uses: w.yaml } }', { 'w.yaml': limited });
  expect(suggestions).toMatchObject([
    { path: 'tasks.a.uses', message: '`budget` of `inner` counts only where that is run by itself.' },
    { path: 'tasks.a.uses', message: '`usage-limits` of `inner` counts only where that is run by itself.' },
  ]);
});

test('suggestions of files used come with those of the file itself', async () => {
  const overlapping = 'name: w\ntasks: { a: { function: f, writes: x }, b: { function: f, writes: x } }';
  const { suggestions } = await parse('name: x\ntasks: { a: { uses: w.yaml } }', { 'w.yaml': overlapping });
  expect(suggestions.map(({ file }) => file)).toEqual(['w.yaml']);
});
