import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashJson, type Json, type PitonError } from '../../src/base/index.ts';
import { defineWorkflow, type TaskDraft } from '../../src/definition/index.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { messages, refusal, task, workflow } from './support.ts';

test('everything a draft leaves out gets its default', () => {
  const { tasks, ...head } = workflow([task('a')]);
  expect(head).toMatchObject({
    format: 1,
    form: 'tasks',
    inputs: {},
    failFast: false,
    checkpoint: { every: { tasks: 1 }, preserve: true },
  });
  expect(tasks[0]).toEqual({
    name: 'a',
    needs: [],
    reads: [],
    work: { type: 'function', function: 'a' },
    retry: {
      attempts: 1,
      backoffMs: 1_000,
      factor: 2,
      maxBackoffMs: 60_000,
      jitter: 0.5,
      on: [],
      notOn: [],
    },
    continueOnError: false,
    priority: 0,
    locks: [],
    writes: [],
    onInterrupt: 'restart',
  });
});

test('what is given is kept, and only what is missing is filled in', () => {
  const [spec] = workflow([
    task('a', {
      retry: { attempts: 3, jitter: undefined },
      forEach: { in: [1], matrix: false },
      priority: 2,
    }),
  ]).tasks;
  expect(spec!.retry).toMatchObject({ attempts: 3, jitter: 0.5 });
  expect(spec!.forEach).toEqual({ in: [1], matrix: false, as: 'item', maxFailures: 0 });
  expect(spec!.priority).toBe(2);
});

test('a matrix is called matrix by its expressions', () => {
  const [spec] = workflow([task('a', { forEach: { in: { os: ['linux'] }, matrix: true } })]).tasks;
  expect(spec!.forEach).toMatchObject({ as: 'matrix', matrix: true });
});

test('an input with a default is not required, one without is', () => {
  const { inputs } = workflow([task('a')], { inputs: { x: { schema: {} }, y: { schema: {}, default: 1 } } });
  expect([inputs['x']!.required, inputs['y']!.required]).toEqual([true, false]);
});

test('a workflow is frozen through and through, and the draft stays as it was', () => {
  const given = {
    needs: [],
    locks: ['db'],
    work: { type: 'function' as const, function: 'f', with: { a: [1] } },
  };
  const { tasks } = workflow([task('a', given)]);
  const [spec] = tasks;
  for (const part of [tasks, spec, spec!.work, spec!.locks, spec!.work.with])
    expect(part).toSatisfy(Object.isFrozen);
  for (const part of [given, given.locks, given.work.with]) expect(part).not.toSatisfy(Object.isFrozen);
});

test('the hash is that of everything else in the workflow', () => {
  const { hash, ...rest } = workflow([task('a')]);
  expect(hash).toBe(hashJson(rest as unknown as Json));
});

test('the order of keys changes nothing in the hash', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5 }), (given) => {
      const turned = Object.fromEntries(Object.entries(given).reverse());
      const [work, turnedWork] = [given, turned].map((value) => {
        return { type: 'function', function: 'f', with: value as Json } as const;
      });
      const { hash } = defineWorkflow({ name: 'test', tasks: [{ name: 'a', work: work! }] });
      const other = defineWorkflow({ tasks: [{ work: turnedWork!, name: 'a' }], name: 'test' });
      expect(other.hash).toBe(hash);
    }),
  );
});

test('another workflow has another hash', () => {
  const hashes = [
    workflow([task('a')]),
    workflow([task('b')]),
    workflow([task('a', { version: '2' })]),
    workflow([task('a')], { maxParallel: 2 }),
    workflow([task('a', { work: { type: 'function', function: 'a', with: 1 } })]),
  ].map(({ hash }) => hash);
  expect(new Set(hashes).size).toBe(hashes.length);
});

const wrongInFourWays = () =>
  workflow([task('a b'), task('c', { needs: ['x'] }), task('d', { retry: { attempts: 0 } })], {
    maxParallel: 0,
  });

test('everything that is wrong is told at once, with its place and in one message', () => {
  const problems = refusal(wrongInFourWays);
  expect(problems.map(({ path }) => path).sort()).toEqual([
    'maxParallel',
    'tasks.a b',
    'tasks.c.needs[0]',
    'tasks.d.retry.attempts',
  ]);
  for (const { message } of problems) expect(wrongInFourWays).toThrow(message);
});

test('a value that JSON cannot keep is refused where it stands', () => {
  const given = { when: new Map() } as unknown as Json;
  const [problem] = refusal(() =>
    workflow([task('a', { work: { type: 'function', function: 'f', with: given } })]),
  );
  expect(problem).toMatchObject({ path: 'tasks.a.with' });
  expect(problem!.message).toContain('a Map');
});

test.each(['1a', 'a b', '', 'a.b', 'ä', '__proto__'])('`%s` cannot be the name of a task', (name) => {
  expect(messages(refusal(() => workflow([task(name)])))).toContain(
    `\`${name}\` cannot be the name of a task.`,
  );
});

test('two tasks of one name are refused', () => {
  expect(messages(refusal(() => workflow([task('a'), task('a')])))).toEqual([
    'There are two tasks called `a`.',
  ]);
});

test.each(['inputs', 'key', 'type', 'in', 'a-b', 'constructor'])(
  '`%s` cannot be the variable of a for-each',
  (as) => {
    const [problem] = refusal(() => workflow([task('a', { forEach: { in: [], as } })]));
    expect(problem!.path).toBe('tasks.a.forEach.as');
  },
);

test.each([
  [{ timeoutMs: 0 }, 'timeout'],
  [{ priority: 1.5 }, 'priority'],
  [{ retry: { backoffMs: -1 } }, 'backoff'],
  [{ retry: { factor: 0.5 } }, 'factor'],
  [{ retry: { jitter: 2 } }, 'jitter'],
  [{ retry: { attempts: Number.NaN } }, 'attempts'],
  [{ retry: { on: ['/(/'] } }, 'on[0]'],
  [{ forEach: { in: [], maxFailures: -1 } }, 'maxFailures'],
  [{ forEach: { in: [], maxParallel: 0 } }, 'maxParallel'],
] satisfies [Partial<TaskDraft>, string][])('a number out of bounds is refused: %o', (given, key) => {
  const problems = refusal(() => workflow([task('a', given)]));
  expect(problems).toHaveLength(1);
  expect(problems[0]!.path).toMatch(new RegExp(`${key.replace('[0]', '\\[0\\]')}$`));
});

const conditionOf = (condition: string) => workflow([task('a', { if: condition })]).tasks[0]!.if;

test('an `if` without a status function holds only after success', () => {
  expect(conditionOf('inputs.x > 1')).toBe('success() && (inputs.x > 1)');
  expect(conditionOf('${{ inputs.x > 1 }}')).toBe('success() && (inputs.x > 1)');
  expect(conditionOf('failure() && inputs.x > 1')).toBe('failure() && inputs.x > 1');
  expect(conditionOf('inputs.text == "failure()"')).toBe('success() && (inputs.text == "failure()")');
  expect(conditionOf('true // always()')).toBe('success() && (true // always()\n)');
});

test('a closure stands as it is, and what it may read is what its task needs', () => {
  const [, spec] = workflow([task('a'), task('b', { needs: ['a'], if: { $function: 'ask' } })]).tasks;
  expect(spec).toMatchObject({ if: { $function: 'ask' }, reads: ['a'] });
});

test('a nested draft is finished with the workflow around it, and a finished one is taken as it is', () => {
  const child = workflow([task('inner')], { name: 'child' });
  const { tasks } = workflow([
    task('a', { work: { type: 'workflow', workflow: child } }),
    task('b', {
      work: { type: 'workflow', workflow: { name: 'group', tasks: [task('inner')] }, inherits: true },
    }),
  ]);
  expect(tasks[0]!.work).toEqual({ type: 'workflow', workflow: child, inherits: false });
  expect(tasks[1]!.work).toMatchObject({
    inherits: true,
    workflow: { name: 'group', hash: expect.any(String) },
  });
});

test('a problem in a nested draft has the whole path', () => {
  const inner = { name: 'group', tasks: [task('inner', { needs: ['gone'] })] };
  const problems = refusal(() =>
    workflow([task('b', { work: { type: 'workflow', workflow: inner, inherits: true } })]),
  );
  expect(problems.map(({ path }) => path)).toEqual(['tasks.b.tasks.inner.needs[0]']);
});

test('a workflow that is used must be given its inputs, and no others', () => {
  const inputs = { color: { schema: { type: 'string' } }, size: { schema: {}, default: 1 } };
  const child = workflow([task('inner')], { name: 'child', inputs });
  const use = (given?: Json) =>
    workflow([
      task('a', { work: { type: 'workflow', workflow: child, ...(given !== undefined && { with: given }) } }),
    ]);
  expect(use({ color: 'red' }).tasks).toHaveLength(1);
  expect(messages(refusal(() => use()))).toEqual(['The workflow `child` needs the input `color`.']);
  const problems = refusal(() => use({ color: 'red', siz: 2 }));
  expect(problems).toMatchObject([{ path: 'tasks.a.with.siz', remedy: 'Did you mean `size`?' }]);
});

test('inputs of an inline body are those of the workflow around it', () => {
  const inner = { name: 'group', inputs: { color: { schema: {} } }, tasks: [task('inner')] };
  const { tasks } = workflow([task('b', { work: { type: 'workflow', workflow: inner, inherits: true } })]);
  expect(tasks).toHaveLength(1);
});

test('inputs are given by name, or by an expression or closure that gives them all', () => {
  const child = workflow([task('inner')], { name: 'child', inputs: { color: { schema: {} } } });
  const use = (given: Json) =>
    workflow([task('a', { work: { type: 'workflow', workflow: child, with: given } })]);
  expect(use('${{ inputs.all }}').tasks).toHaveLength(1);
  expect(use({ $function: 'all' }).tasks).toHaveLength(1);
  expect(refusal(() => use(['red']))).toEqual([
    { path: 'tasks.a.with', message: '`a` must give the inputs of its workflow by name.' },
  ]);
});

test('a variable of the environment cannot be a function', () => {
  const env = { A: 1, B: { $function: 'f' } };
  for (const work of [
    { type: 'command', run: 'ls', env } as const,
    { type: 'agent', agents: ['claude'], prompt: 'Go.', env } as const,
  ])
    expect(refusal(() => workflow([task('a', { work })]))).toEqual([
      { path: 'tasks.a.env.B', message: 'A variable cannot be a function.' },
    ]);
});

test('a workflow that is used has its defaults for what it is not given', () => {
  const inputs = {
    color: { schema: {} },
    size: { schema: {}, default: 1 },
    tags: { schema: {}, default: ['a'] },
  };
  const child = workflow([task('inner')], { name: 'child', inputs });
  const given = { color: 'red', size: 2 };
  const { tasks } = workflow([task('a', { work: { type: 'workflow', workflow: child, with: given } })]);
  expect(tasks[0]!.work.with).toEqual({ color: 'red', size: 2, tags: ['a'] });
});

test('the default of an input is a plain value', () => {
  const inputs = { size: { schema: {}, default: { a: '${{ run.id }}' } } };
  expect(refusal(() => workflow([task('a')], { inputs }))).toMatchObject([{ path: 'inputs.size.default' }]);
});

test('a chain of twenty thousand tasks, each reading two others, is defined without running out of stack', () => {
  const count = propertyRuns * 40;
  const tasks = Array.from({ length: count }, (_, index) => {
    const given = index < 2 ? {} : { with: `\${{ tasks.t${index - 2}.output }} \${{ tasks.t0.output }}` };
    const work = { type: 'function' as const, function: 'f', ...given };
    return { name: `t${index}`, needs: index === 0 ? [] : [`t${index - 1}`], work, writes: ['src/**'] };
  });
  const { tasks: specs } = defineWorkflow({ name: 'long', tasks });
  expect(specs[count - 1]!.reads).toEqual(['t0', `t${count - 3}`]);
});

test('of twenty thousand wrong needs all are found, and the message stays readable', () => {
  const count = propertyRuns * 40;
  const tasks = Array.from({ length: count }, (_, index) => task(`t${index}`, { needs: [`gone${index}`] }));
  const error = thrownBy(() => workflow(tasks)) as PitonError;
  expect(error.details['problems']).toHaveLength(count);
  expect(error.message.split('\n')).toHaveLength(52);
  expect(error.message).toContain(`… and ${count - 50} more`);
});

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}
