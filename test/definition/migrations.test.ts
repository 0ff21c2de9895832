import { expect, test } from 'vitest';
import { stateGraph, workflow } from '../../src/index.ts';
import { describeProblem } from '../../src/definition/index.ts';
import { parse, parseProblems } from './support.ts';

const tasks =
  'tasks:\n  plan: { run: echo 1, output: { ok: boolean } }\n  all: { tasks: { inner: { run: echo } } }\n';
const graph = 'state: { draft: "" }\nstart: a\ngraph:\n  a: { run: echo, next: end }\n';

const told = async (text: string): Promise<string> =>
  (await parseProblems(text)).map((problem) => describeProblem(problem)).join('\n');

test.each([
  [
    'no version',
    `migrations: { 2: {} }\n${tasks}`,
    'need a `version` that is a whole number from 2 on; it has none',
  ],
  ['a name for a version', `version: beta\nmigrations: { 2: {} }\n${tasks}`, 'it is `beta`'],
  [
    'a step beyond the version',
    `version: 2\nmigrations: { 2: {}, 3: {} }\n${tasks}`,
    'no version `3` to migrate to',
  ],
  [
    'a step to the first',
    `version: 2\nmigrations: { 1: {}, 2: {} }\n${tasks}`,
    'no version `1` to migrate to',
  ],
  ['a gap', `version: 4\nmigrations: { 2: {}, 4: {} }\n${tasks}`, 'There is no migration to version 3.'],
  [
    'none to the version itself',
    `version: 3\nmigrations: { 2: {} }\n${tasks}`,
    'There is no migration to version 3.',
  ],
  [
    'a state of tasks',
    `version: 2\nmigrations: { 2: { state: { a: 1 } } }\n${tasks}`,
    '`state` belongs to a graph',
  ],
  [
    'an unknown task',
    `version: 2\nmigrations: { 2: { outputs: { paln: 1 } } }\n${tasks}`,
    'Did you mean `plan`?',
  ],
  [
    'an unknown task inside',
    `version: 2\nmigrations: { 2: { outputs: { all.iner: 1 } } }\n${tasks}`,
    'There is no task',
  ],
  [
    'an unknown field',
    `version: 2\nmigrations: { 2: { state: { darft: 1 } } }\n${graph}`,
    'The state has no field `darft`',
  ],
  [
    'an unknown input',
    `version: 2\nmigrations: { 2: { inputs: { x: 1 } } }\n${graph}`,
    'There is no input `x`',
  ],
  [
    'other tasks',
    `version: 2\nmigrations: { 2: { state: { draft: "\${{ tasks.a.output }}" } } }\n${graph}`,
    'does not see other tasks',
  ],
  [
    'output in a state',
    `version: 2\nmigrations: { 2: { state: { draft: "\${{ output }}" } } }\n${graph}`,
    'output',
  ],
  [
    'broken CEL',
    `version: 2\nmigrations: { 2: { state: { draft: "\${{ state. }}" } } }\n${graph}`,
    'migrations.2.state.draft',
  ],
])('%s is refused, with the place', async (_, text, message) => {
  expect(await told(`name: f\n${text}`)).toContain(message);
});

test('what older versions had is not known, and may be read by any name', async () => {
  const text = `version: 3\nmigrations:\n  2: { state: { middle: "\${{ state.text }}" } }\n  3: { state: { draft: "\${{ state.middle + inputs.was }}" }, outputs: { a: "\${{ output.x }}" } }\n${graph}`;
  const { workflow: parsed } = await parse(`name: f\n${text}`);
  expect(parsed.migrations).toMatchObject({ 3: { outputs: { a: '${{ output.x }}' } } });
  expect(parsed.version).toBe('3');
});

test('the builders tell the same in their words', () => {
  const flow = workflow('f', { version: 3 })
    .task('a', () => 1)
    .migrate(2, {});
  expect(() => flow.workflow).toThrow(/no migration to version 3.*\.migrate\(3, \{\}\)/s);
  const steps = stateGraph('g', { version: 2 })
    .node('a', () => undefined)
    .edge('a', 'end');
  expect(steps.migrate(2, { state: () => ({}) }).workflow.migrations).toEqual({
    2: { state: { $function: 'migrate:2:state' } },
  });
});

test('without migrations, the hash of a definition is what it was', () => {
  const before = workflow('f', { version: '3' }).task('a', () => 1).workflow;
  expect(workflow('f', { version: 3 }).task('a', () => 1).workflow.hash).toBe(before.hash);
  expect(before).not.toHaveProperty('migrations');
});
