import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { toJson, type Json } from '../../src/base/index.ts';
import { createEvaluator, type TaskDraft } from '../../src/definition/index.ts';
import type { Evaluator, Variables, Workflow } from '../../src/model/index.ts';
import { task, workflow } from './support.ts';

const variables: Variables = {
  inputs: toJson({
    n: 5,
    ratio: 1.5,
    big: 1e300,
    text: 'abc',
    list: [1, 2, 3.5],
    record: { a: 1 },
    nothing: null,
    yes: true,
    in: 'keyword',
  }),
  tasks: {
    done: { status: 'succeeded', output: toJson({ parts: [{ name: 'ui' }, { name: 'api' }] }) },
    broken: { status: 'failed', error: { code: 'E', message: 'no' } },
  },
  $status: { success: true, failure: false },
};

let evaluator: Evaluator;
const value = (expression: string): Json => evaluator.render(`\${{ ${expression} }}`, variables);

const render = (text: string): Json => evaluator.render(text, variables);
const literal = (n: number): string => (n < 0 ? `(${n})` : `${n}`);

beforeAll(async () => {
  const draft = task('a', { work: { type: 'function', function: 'f', with: '${{ run.id }}' } });
  evaluator = await createEvaluator(workflow([draft]), {
    count: ({ inputs }) => (inputs as { list: unknown[] }).list.length,
    yes: () => true,
    truthy: () => 'yes',
    nothing: () => undefined,
    fails: () => {
      throw new Error('out of paper');
    },
    later: () => Promise.resolve(true),
  });
});

describe('numbers', () => {
  test.each<[string, Json]>([
    ['inputs.n + 1', 6],
    ['1 + inputs.n', 6],
    ['inputs.n - 0.5', 4.5],
    ['inputs.n * inputs.ratio', 7.5],
    ['1.5 * 2', 3],
    ['2 * 1.5', 3],
    ['-inputs.n', -5],
    ['inputs.n % 2', 1],
    ['7 % 2', 1],
    ['7.5 % 2', 1.5],
    ['size(inputs.list) + 1', 4],
    ['size(inputs.list) * 0.5', 1.5],
    ['inputs.big * 10', 1e301],
    ['string(inputs.n)', '5'],
    ['string(inputs.ratio)', '1.5'],
    ['[1, 2.5, inputs.n]', [1, 2.5, 5]],
    ['{"a": 1, "b": inputs.ratio}', { a: 1, b: 1.5 }],
    ['inputs.list.map(x, x * 2)', [2, 4, 7]],
    ['inputs.yes ? 1 : 2.5', 1],
    ['inputs.yes ? inputs.n : "none"', 5],
    ['5u', 5],
  ])('%s is %j', (expression, expected) => {
    expect(value(expression)).toEqual(expected);
  });

  test.each([
    'inputs.n == 5',
    '5 == inputs.n',
    '5.0 == 5',
    'inputs.n != 5.5',
    'inputs.n > 2',
    '2 < inputs.n',
    '4.5 < inputs.n',
    'inputs.ratio == 1.5',
    'inputs.ratio < 2',
    'size(inputs.list) == 3',
    'size(inputs.list) < inputs.n',
    'inputs.n in [1, 5]',
    '2 in inputs.list',
    '3.5 in inputs.list',
    '!(4 in inputs.list)',
    'inputs.list == [1, 2, 3.5]',
    'inputs.record == {"a": 1}',
    'inputs.list.exists(x, x == 2)',
    'inputs.list.filter(x, x > 1).size() == 2',
    'inputs.list[inputs.n - 4] == 2',
  ])('%s holds', (expression) => {
    expect(evaluator.test(expression, variables)).toBe(true);
  });

  test.each<[string, Json]>([
    ['7 / 2', 3.5],
    ['6 / 3', 2],
    ['inputs.n / 2', 2.5],
    ['size(inputs.list) / 2', 1.5],
    ['12 / 2 / 3', 2],
    ['2 * 6 / 4', 3],
    ['1 - 2 / 4', 0.5],
    ['int(7 / 2)', 3],
  ])('division is exact, whatever the numbers come from: %s is %j', (expression, expected) => {
    expect(value(expression)).toBe(expected);
  });

  test('adding, subtracting and multiplying agree with JSON numbers, wherever whole and decimal meet', () => {
    const number = fc.oneof(
      fc.integer({ min: -1000, max: 1000 }),
      fc.integer({ min: -999, max: 999 }).map((n) => n / 8),
    );
    fc.assert(
      fc.property(number, number, (a, b) => {
        const given = { inputs: { a, b } };
        for (const [left, right] of [
          ['inputs.a', 'inputs.b'],
          ['inputs.a', literal(b)],
          [literal(a), literal(b)],
        ]) {
          expect(evaluator.render(`\${{ ${left} + ${right} }}`, given)).toBe(a + b);
          expect(evaluator.render(`\${{ ${left} - ${right} }}`, given)).toBe(a - b);
          expect(evaluator.render(`\${{ ${left} * ${right} }}`, given)).toBeCloseTo(a * b, 12);
          expect(evaluator.test(`${left} < ${right}`, given)).toBe(a < b);
          expect(evaluator.test(`${left} == ${right}`, given)).toBe(a === b);
        }
      }),
    );
  });

  test('positions in texts may come from JSON', () => {
    expect(value('inputs.text.substring(inputs.n - 4)')).toBe('bc');
    expect(value('inputs.text.substring(0, inputs.n - 3)')).toBe('ab');
    expect(value('inputs.text.indexOf("c", inputs.n - 4)')).toBe(2);
  });

  test.each([
    ['9007199254740993', 'too big for JSON'],
    ['1 / 0', 'Did it divide by zero?'],
    ['b"ab"', 'bytes'],
  ])('what JSON cannot hold is an error: %s', (expression, message) => {
    expect(() => value(expression)).toThrow(message);
  });
});

describe('reading', () => {
  test.each<[string, boolean]>([
    ['has(tasks.done.output)', true],
    ['has(tasks.broken.output)', false],
    ['has(tasks.broken.output.parts)', false],
    ['has(tasks.done.output.parts)', true],
    ['has(tasks["done"].output)', true],
    ['has(tasks.done.output.parts[1].name)', true],
    ['has(tasks.done.output.parts[2].name)', false],
    ['has(inputs.nothing)', false],
    ['has(inputs.gone.deeper)', false],
  ])('%s is %s', (expression, expected) => {
    expect(value(expression)).toBe(expected);
  });

  test('reading the output of a task that did not succeed is an error that says how to ask', () => {
    expect(() => value('tasks.broken.output.parts')).toThrow(
      '`tasks.broken` has no field `output`. Only a task that has succeeded has an output; has(tasks.broken.output)',
    );
    expect(value('has(tasks.broken.output) ? tasks.broken.output.parts : []')).toEqual([]);
  });

  test('fields may be called like words of the language', () => {
    expect(value('inputs.in')).toBe('keyword');
  });

  test('a big value is handed on, not copied', () => {
    expect(value('inputs.record')).toBe((variables['inputs'] as { record: Json }).record);
  });
});

describe('texts', () => {
  test('a text that is one expression gives its value', () => {
    expect(render('${{ inputs.list }}')).toEqual([1, 2, 3.5]);
    expect(render('${{ inputs.nothing }}')).toBeNull();
  });

  test('in a longer text, texts stay as they are and all else becomes JSON', () => {
    expect(render('${{ inputs.text }}: ${{ inputs.n }}, ${{ inputs.yes }}, ${{ inputs.record }}')).toBe(
      'abc: 5, true, {"a":1}',
    );
    expect(render(' ${{ inputs.n }}')).toBe(' 5');
  });

  test('null is no text', () => {
    expect(() => render('so: ${{ inputs.nothing }}')).toThrow('It gives null');
  });

  test('maps and quotes inside of an expression do not end it', () => {
    expect(render('${{ {"a": {"b": 1}} }}')).toEqual({ a: { b: 1 } });
    expect(render("${{ '}}' + \"it's\" }} ${{ '${{' }}")).toBe("}}it's ${{");
  });

  test('expressions are found at any depth of a value', () => {
    expect(evaluator.render({ a: [{ b: '${{ inputs.n }}' }, 'x${{ inputs.n }}'] }, variables)).toEqual({
      a: [{ b: 5 }, 'x5'],
    });
  });

  test('a value without expressions comes back as it is, whatever it is', () => {
    const withoutExpressions = fc.jsonValue().filter((json) => !JSON.stringify(json).includes('${{'));
    fc.assert(
      fc.property(withoutExpressions, (json) => {
        const given = toJson(JSON.parse(JSON.stringify(json)));
        expect(evaluator.render(given, {})).toEqual(given);
      }),
    );
  });

  test('whatever JSON a variable holds, it can be read whole, inside of a record, and (except null) in a text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        const inputs = toJson({ x: JSON.parse(JSON.stringify(json)) });
        const { x } = inputs as { x: Json };
        expect(evaluator.render({ a: ['${{ inputs.x }}'] }, { inputs })).toEqual({ a: [x] });
        if (x === null) return;
        const text = typeof x === 'string' ? x : JSON.stringify(x);
        expect(evaluator.render('<${{ inputs.x }}>', { inputs })).toBe(`<${text}>`);
      }),
    );
  });
});

describe('conditions', () => {
  test('status functions answer from the status of the task', () => {
    const failed = { ...variables, $status: { success: false, failure: true } };
    const holds = (condition: string) => [
      evaluator.test(condition, variables),
      evaluator.test(condition, failed),
    ];
    expect(holds('success()')).toEqual([true, false]);
    expect(holds('failure()')).toEqual([false, true]);
    expect(holds('always()')).toEqual([true, true]);
    expect(holds('failure() || inputs.n == 4')).toEqual([false, true]);
    expect(holds('success() && (inputs.n == 5)')).toEqual([true, false]);
  });

  test('a condition that is neither true nor false is an error', () => {
    expect(() => evaluator.test('inputs.n', variables)).toThrow(
      'A condition must be true or false; this is 5.',
    );
  });
});

describe('closures', () => {
  test('are called with the variables, and what they give becomes JSON', () => {
    expect(evaluator.render({ $function: 'count' }, variables)).toBe(3);
    expect(evaluator.render({ $function: 'nothing' }, variables)).toBeNull();
    expect(evaluator.test({ $function: 'yes' }, variables)).toBe(true);
  });

  test('must say true or false as conditions, and at once', () => {
    expect(() => evaluator.test({ $function: 'truthy' }, variables)).toThrow('must be true or false');
    expect(() => evaluator.test({ $function: 'later' }, variables)).toThrow('result is a Promise');
  });

  test('that fail or do not exist are named', () => {
    expect(() => evaluator.render({ $function: 'fails' }, variables)).toThrow(
      'The function `fails` failed: out of paper',
    );
    expect(() => evaluator.render({ $function: 'gone' }, variables)).toThrow('`gone` failed');
  });
});

describe('errors', () => {
  test.each([
    ['inputs.gone', '`inputs` has no field `gone`.'],
    ['inputs.text + inputs.n', '`string + number` is not possible. string() makes text of a number.'],
    ['inputs.text / 2', 'string cannot be divided.'],
    ['nobody', 'There is no variable `nobody` here.'],
    ['shout(inputs.text)', 'There is no function `shout(any)`.'],
    ['1 +', 'It is not an expression'],
    ['inputs.list[7]', 'index out of bounds'],
  ])('%s fails, and says why', (expression, message) => {
    expect(() => value(expression)).toThrow(message);
  });

  test.each([
    ['inputs.gone', '`inputs` has no field `gone`.', 'Where it may be missing, ask has(inputs.gone) first.'],
    [
      'inputs.output',
      '`inputs` has no field `output`.',
      'Where it may be missing, ask has(inputs.output) first.',
    ],
    [
      'tasks.done.gone',
      '`tasks.done` has no field `gone`.',
      'Where it may be missing, ask has(tasks.done.gone) first.',
    ],
    [
      'tasks["broken"].output',
      '`tasks["broken"]` has no field `output`.',
      'Only a task that has succeeded has an output; has(tasks["broken"].output) tells whether it has.',
    ],
    [
      'inputs.record["gone"]',
      '`inputs.record` has no field `gone`.',
      'Where it may be missing, ask has(inputs.record.gone) first.',
    ],
    ['inputs.text + inputs.n', '`string + number` is not possible.', 'string() makes text of a number.'],
    ['inputs.list + inputs.n', '`list<number> + number` is not possible.', undefined],
    ['inputs.text * inputs.n', '`string * number` is not possible.', undefined],
    ['inputs.text - inputs.n', '`string - number` is not possible.', undefined],
    ['inputs.text / inputs.n', 'string cannot be divided.', undefined],
    ['success()', 'success() and failure() say something only in the `if` of a task.', undefined],
  ])('%s says what is wrong and what to do', (expression, reason, remedy) => {
    const { $status: _, ...outside } = variables;
    const whole = `\`${expression}\` failed: ${reason}${remedy === undefined ? '' : ` ${remedy}`}`;
    expect(() => evaluator.render(`\${{ ${expression} }}`, outside)).toThrow(
      expect.objectContaining({ message: whole, remedy }),
    );
  });

  test('name the expression and carry their cause', () => {
    expect(() => value('inputs.gone')).toThrow(
      expect.objectContaining({
        code: 'EXPRESSION_FAILED',
        details: { expression: 'inputs.gone' },
        cause: expect.any(Error),
      }),
    );
  });
});

test('names with hyphens mean the same when they are run as when they were defined', async () => {
  const reader = task('z', {
    needs: ['build-api'],
    if: 'has(tasks.build-api.output)',
    work: { type: 'function', function: 'f', with: '${{ tasks.build-api.output.n - 1 }}' },
  });
  const { tasks } = workflow([task('build-api'), reader]);
  const hyphens = await createEvaluator(workflow([task('build-api'), reader]), {});
  const given = { tasks: { 'build-api': { output: { n: 3 } } }, $status: { success: true, failure: false } };
  expect(hyphens.test(tasks[1]!.if!, given)).toBe(true);
  expect(hyphens.render(tasks[1]!.work.with!, given)).toBe(2);
});

describe('patterns of retries and errors', () => {
  const policy = { attempts: 2, backoffMs: 1, factor: 1, maxBackoffMs: 1, jitter: 0, on: [], notOn: [] };
  const finding = (flow: Workflow) => createEvaluator(flow, {});
  const pattern = '/out of (paper|ink)/i';

  test.for<[string, TaskDraft]>([
    ['retry.on', task('a', { retry: { ...policy, on: [pattern] } })],
    ['retry.notOn', task('a', { retry: { ...policy, notOn: ['E', pattern] } })],
    ['errors', task('a', { errors: [{ match: pattern, class: 'transient' }] })],
  ])('are found where %s has one', async ([, draft]) => {
    const made = await finding(workflow([task('first'), draft]));
    expect(made.finds('out of (paper|ink)', 'i', 'It is Out Of Ink.')).toBe(true);
    expect(made.finds('out of (paper|ink)', '', 'It is Out Of Ink.')).toBe(false);
    expect(made.finds('out of (paper', 'i', 'out of (paper')).toBe(false);
  });

  test('are found in a workflow inside of another', async () => {
    const inner = { name: 'inner', tasks: [task('a', { retry: { ...policy, on: [pattern] } })] };
    const work = { type: 'workflow', workflow: inner, inherits: true } as const;
    const made = await finding(workflow([task('outer', { work })]));
    expect(made.finds('x+', '', 'xxx')).toBe(true);
  });

  test('are not there where nothing has one, and nothing is found', async () => {
    const made = await finding(workflow([task('a', { retry: { ...policy, on: ['EXIT'] } })]));
    expect(made.finds('x', '', 'x')).toBe(false);
  });
});

test('a workflow without expressions refuses those of others, and still knows how things stand', async () => {
  const made = await createEvaluator(workflow([task('a', { if: 'always()' })]), {});
  expect(made.test('always()', {})).toBe(true);
  expect(made.test('failure()', { $status: { success: false, failure: true } })).toBe(true);
  expect(() => made.render('${{ inputs.x }}', {})).toThrow('The workflow was said to have no expressions.');
});

test('what failed is named in the details, with what helps', () => {
  expect(() => render('a ${{ inputs.nothing }}')).toThrow(
    expect.objectContaining({
      code: 'EXPRESSION_FAILED',
      details: { expression: 'inputs.nothing' },
      remedy: 'Test it first with has().',
    }),
  );
  expect(() => evaluator.test('inputs.n', variables)).toThrow(
    expect.objectContaining({ details: { expression: 'inputs.n' }, remedy: undefined }),
  );
  expect(() => evaluator.render({ $function: 'toString' }, variables)).toThrow(
    expect.objectContaining({ details: { expression: 'toString' } }),
  );
});
