import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseWorkflow } from '../../src/definition/index.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { messages, parse, parsed, parseProblems, places, refusalOf } from './support.ts';

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');

test('ship-feature.yaml is refused for exactly what is not available yet', async () => {
  const text = fixture('ship-feature.yaml');
  const problems = await parseProblems(text, { 'prompts/plan.md': 'Plan ${{ inputs.feature }}.\n' });
  expect(problems.map(({ path }) => path)).toEqual(['tasks.release.undo']);
  for (const { message, path, line, column } of problems) {
    const key = path.split('.').at(-1)!;
    expect(message).toMatch(new RegExp(`^\`${key}\` is not available yet: .* later version\\.$`));
    expect(text.split('\n')[line! - 1]!.slice(column! - 1)).toMatch(new RegExp(`^${key}:`));
  }
});

test('refine.yaml, a graph of agents, is a workflow nobody has anything against', async () => {
  const { workflow, suggestions } = await parse(fixture('refine.yaml'));
  expect(suggestions).toEqual([]);
  expect(workflow.tasks.map(({ work }) => work.type)).toEqual(['agent', 'agent']);
});

test('every key of a file ends up in the workflow', async () => {
  const workflow = await parsed(`
name: all
version: 2
description: Everything at once.
inputs:
  short: string
  note?: string
  list: [integer]
  long: { type: number, default: 3, description: How long. }
  strict: { schema: { type: string, enum: [a, b] }, required: false }
max-parallel: 3
fail-fast: true
checkpoint: { every: 30s, preserve: false }
tasks:
  first:
    function: f
    with: { a: "\${{ inputs.short }}" }
    output: { ok: boolean, tags: [string], note?: string }
    retry: { attempts: 3, backoff: 2s, factor: 3, max: 5m, jitter: false, on: [BUSY], not-on: /gone/ }
    timeout: 1h30m
    continue-on-error: true
    priority: 5
    locks: db
    writes: [src/**]
    on-interrupt: ask
    version: 1
  second:
    needs: first
    if: tasks.first.output.ok
    for-each: { in: "\${{ tasks.first.output.tags }}", as: tag, key: "\${{ tag }}", max-parallel: 2, max-failures: 1 }
    function: g
outputs: { tags: "\${{ tasks.second.outputs }}" }
`);
  expect(workflow).toMatchObject({
    name: 'all',
    version: '2',
    form: 'tasks',
    inputs: {
      short: { schema: { type: 'string' }, required: true },
      note: { schema: { type: 'string' }, required: false },
      list: { schema: { type: 'array', items: { type: 'integer' } }, required: true },
      long: { schema: { type: 'number' }, default: 3, description: 'How long.', required: false },
      strict: { schema: { type: 'string', enum: ['a', 'b'] }, required: false },
    },
    maxParallel: 3,
    failFast: true,
    checkpoint: { every: { ms: 30_000 }, preserve: false },
    outputs: { tags: '${{ tasks.second.outputs }}' },
  });
  expect(workflow.tasks[0]).toEqual({
    name: 'first',
    needs: [],
    reads: [],
    work: { type: 'function', function: 'f', with: { a: '${{ inputs.short }}' } },
    output: {
      type: 'object',
      properties: {
        ok: { type: 'boolean' },
        tags: { type: 'array', items: { type: 'string' } },
        note: { type: 'string' },
      },
      required: ['ok', 'tags'],
    },
    retry: {
      attempts: 3,
      backoffMs: 2_000,
      factor: 3,
      maxBackoffMs: 300_000,
      jitter: 0,
      on: ['BUSY'],
      notOn: ['/gone/'],
    },
    timeoutMs: 5_400_000,
    continueOnError: true,
    priority: 5,
    locks: ['db'],
    writes: ['src/**'],
    onInterrupt: 'ask',
    version: '1',
  });
  expect(workflow.tasks[1]).toMatchObject({
    needs: ['first'],
    reads: ['first'],
    if: 'success() && (tasks.first.output.ok)',
    forEach: {
      in: '${{ tasks.first.output.tags }}',
      matrix: false,
      as: 'tag',
      key: '${{ tag }}',
      maxParallel: 2,
      maxFailures: 1,
    },
  });
});

test('a graph has its state, its start and edges in order', async () => {
  const workflow = await parsed(`
name: loop
state: { n: 0 }
start: count
max-steps: 7
graph:
  count:
    function: add
    output: { n: integer }
    update: { n: "\${{ output.n }}" }
    next: [{ if: state.n >= 3, to: end }, { if: failure(), to: mend }, { to: count }]
  mend: { function: mend, next: end }
`);
  expect(workflow).toMatchObject({ form: 'graph', graph: { start: 'count', state: { n: 0 }, maxSteps: 7 } });
  expect(workflow.tasks[0]).toMatchObject({
    update: { n: '${{ output.n }}' },
    next: [{ if: 'state.n >= 3', to: 'end' }, { if: 'failure()', to: 'mend' }, { to: 'count' }],
  });
});

test.each([
  ['every-task', { tasks: 1 }],
  ['on-gates', 'gates'],
  ['manual', 'manual'],
  ['off', 'off'],
  ['{ every: 5 }', { tasks: 5 }],
  ['{ every: 250ms }', { ms: 250 }],
  ['{ every: on-gates }', 'gates'],
])('checkpoint: %s', async (written, every) => {
  const { checkpoint } = await parsed(`{ name: x, checkpoint: ${written}, tasks: { a: { function: f } } }`);
  expect(checkpoint).toEqual({ every, preserve: true });
});

test.each([
  ['2', { attempts: 2, jitter: 0.5 }],
  ['{ attempts: 2, jitter: true }', { attempts: 2, jitter: 0.5 }],
  ['{ attempts: 2, jitter: 0.1 }', { attempts: 2, jitter: 0.1 }],
])('retry: %s', async (written, expected) => {
  const { tasks } = await parsed(`{ name: x, tasks: { a: { function: f, retry: ${written} } } }`);
  expect(tasks[0]!.retry).toMatchObject(expected);
});

test('defaults apply to every task that does not set the key, also inside of a group, but not to the group', async () => {
  const { tasks } = await parsed(`
name: x
defaults: { retry: 3, timeout: 5s }
tasks:
  a: { function: f, retry: 1 }
  group: { tasks: { inner: { function: f } } }
`);
  const { workflow } = tasks[1]!.work as unknown as { workflow: { tasks: unknown[] } };
  expect(tasks[0]).toMatchObject({ retry: { attempts: 1 }, timeoutMs: 5_000 });
  expect(tasks[1]!.retry.attempts).toBe(1);
  expect(tasks[1]).not.toHaveProperty('timeoutMs');
  expect(workflow.tasks[0]).toMatchObject({ retry: { attempts: 3 }, timeoutMs: 5_000 });
});

test('a wrong default is told once, where it stands', async () => {
  const problems = await parseProblems(`
name: x
defaults: { timeout: soon }
tasks: { a: { function: f }, b: { tasks: { c: { function: f } } } }
`);
  expect(places(problems)).toEqual(['3:22 `soon` is no time span.']);
});

const timeSpans = (span: string): string => `
name: x
usage-limits: { wait: ${span} }
breakers: { api: { cooldown: ${span}, max-cooldown: ${span} } }
defaults: { timeout: ${span} }
tasks:
  a:
    agent: codex
    prompt: Do it.
    idle-timeout: ${span}
    retry: { attempts: 2, backoff: ${span}, max: ${span} }
`;

test('a time span without a unit is refused wherever one may stand, and units are offered', async () => {
  const problems = await parseProblems(timeSpans('30'));
  expect(problems.map(({ path }) => path).toSorted()).toEqual([
    'breakers.api.cooldown',
    'breakers.api.max-cooldown',
    'defaults.timeout',
    'tasks.a.idle-timeout',
    'tasks.a.retry.backoff',
    'tasks.a.retry.max',
    'usage-limits.wait',
  ]);
  const [{ message, remedy }] = problems as [(typeof problems)[0]];
  expect(message).toBe('`30` is no time span: it has no unit.');
  expect(remedy).toBe('Write `30s`, `30m` or `30ms`.');
});

test('a time span of nothing needs no unit', async () => {
  const workflow = await parsed(`
name: x
usage-limits: { wait: 0 }
tasks:
  a: { agent: codex, prompt: Do it., idle-timeout: 0, retry: { attempts: 2, backoff: 0 } }
`);
  expect(workflow.usageLimits).toMatchObject({ maxWaitMs: 0 });
  expect(workflow.tasks[0]).toMatchObject({ retry: { backoffMs: 0 }, work: { idleTimeoutMs: 0 } });
});

test('what does not fit in a task is told there, though the file or the defaults have the same key', async () => {
  const problems = await parseProblems(`
name: x
secrets: [A]
defaults: { timeout: 5s }
tasks: { a: { run: ls, timeout: [], secrets: [1] } }
`);
  expect(problems.map(({ path }) => path)).toEqual(['tasks.a.timeout', 'tasks.a.secrets[0]']);
});

test('a loop variable with hyphens is a variable', async () => {
  const { tasks } = await parsed(`
name: x
tasks:
  a:
    for-each: { in: [{ n: 1 }], as: the-part, key: "\${{ the-part.n }}" }
    tasks: { b: { function: f, if: the-part.n > 0, with: "\${{ the-part.n-1 }} the-part" } }
`);
  expect(tasks[0]!.forEach).toMatchObject({ as: 'the_part', key: '${{ the_part.n }}' });
  expect(tasks[0]!.work).toMatchObject({
    workflow: {
      tasks: [{ if: 'success() && (the_part.n > 0)', work: { with: '${{ the_part.n-1 }} the-part' } }],
    },
  });
});

test.each([
  ['string', { type: 'string' }],
  ['any', {}],
  [
    '[{ name: string }]',
    {
      type: 'array',
      items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    },
  ],
  ['{ type: string, minLength: 2 }', { type: 'string', minLength: 2 }],
  ['{ type: [string, "null"] }', { type: ['string', 'null'] }],
  ['{ properties: { a: { type: string } } }', { properties: { a: { type: 'string' } } }],
  ['{ enum: [a, b] }', { enum: ['a', 'b'] }],
  [
    '{ $schema: "https://json-schema.org/draft/2020-12/schema" }',
    { $schema: 'https://json-schema.org/draft/2020-12/schema' },
  ],
  [
    '{ type: string, name: string }',
    {
      type: 'object',
      properties: { type: { type: 'string' }, name: { type: 'string' } },
      required: ['type', 'name'],
    },
  ],
  [
    '{ title: string, items: [string] }',
    {
      type: 'object',
      properties: { title: { type: 'string' }, items: { type: 'array', items: { type: 'string' } } },
      required: ['title', 'items'],
    },
  ],
  [
    '{ score: { type: number, minimum: 0 } }',
    { type: 'object', properties: { score: { type: 'number', minimum: 0 } }, required: ['score'] },
  ],
])('output: %s is short for a schema, or one itself', async (written, schema) => {
  const { tasks } = await parsed(`{ name: x, tasks: { a: { function: f, output: ${written} } } }`);
  expect(tasks[0]!.output).toEqual(schema);
});

test('all problems of a file are told at once, each at its line and column', async () => {
  const problems = await parseProblems(`name: x
inputs: { n: { type: integer, default: many } }
max-paralel: 2
tasks:
  a:
    need: b
    function: f
    timeout: soon
  b:
    needs: [c]
    function: 3
  d:
    function: f
    with:
      text: |
        one
        two \${{ tasks.a.output }}
  e: {}
`);
  expect(places(problems)).toEqual([
    '2:40 The default does not fit: expected a number, found "many".',
    '3:1 There is no key `max-paralel` here.',
    '6:5 There is no key `need` here.',
    '8:14 `soon` is no time span.',
    '10:13 There is no task `c`.',
    '11:15 Expected text, found 3.',
    '17:23 `d` reads `a` without needing it. It may not have run yet.',
    '18:3 `e` says nothing to do.',
  ]);
});

test.each([
  [
    'defaults: { needs: a }',
    'defaults.needs',
    '`needs` is no default: put it on each task that is to have it.',
  ],
  ['defaults: { if: "true" }', 'defaults.if', '`if` is no default: put it on each task that is to have it.'],
  ['defaults: { run: ls }', 'defaults.run', '`run` is no default: put it on each task that is to have it.'],
  [
    'defaults: { next: end }',
    'defaults.next',
    '`next` is no default: put it on each node that is to have it.',
  ],
  ['needs: a', 'needs', 'Put it on a task.'],
  ['retry: 3', 'retry', 'Put it on a task, or into `defaults`.'],
])('%s is a key of a task where none is, and its place is told', async (given, path, remedy) => {
  const problems = await parseProblems(`name: x\n${given}\ntasks: { a: { function: f } }\n`);
  expect(problems).toMatchObject([{ path, remedy }]);
});

test('a misspelt key is refused at the key, and the nearest right one suggested', async () => {
  const problems = await parseProblems(`
name: x
tasks:
  a: { function: f, retry: { atempts: 3 }, for-each: { in: [], max-failure: 1 } }
`);
  expect(problems).toMatchObject([
    { line: 4, column: 30, remedy: 'Did you mean `attempts`?' },
    { line: 4, column: 64, remedy: 'Did you mean `max-failures`?' },
  ]);
});

test('of a key with two letters the wrong way round the right one is suggested, and never one that is not there yet', async () => {
  const text = '{ name: x, tasks: { a: { agnet: claude, udno: w, modle: m } } }';
  const remedies = (await parseProblems(text)).map(({ remedy }) => remedy);
  expect(remedies).toEqual([
    'Did you mean `agent`?',
    expect.stringMatching(/^Known here: (?!.*undo)/),
    'Did you mean `model`?',
  ]);
});

test.each([
  ['tasks: { a: { function: f, next: end } }', 'Tasks have no `next`'],
  ['start: a\ngraph: { a: { function: f, next: end, needs: a } }', '`next` says what follows'],
])('a key of the other form is refused with what to write instead: %s', async (body, remedy) => {
  expect((await parseProblems(`name: x\n${body}`))[0]!.remedy).toContain(remedy);
});

test.each([
  ['[1, 2]', 'A workflow file is a mapping'],
  ['', 'A workflow file is a mapping'],
  ['{ name: x }', 'The workflow has nothing to do.'],
  ['{ name: x, tasks: {} }', 'The workflow has nothing to do.'],
  ['{ name: x, tasks: 3 }', 'Expected a mapping, found 3.'],
  ['{ tasks: { a: { function: f } } }', '`name` is missing.'],
  ['{ name: [x], tasks: { a: { function: f } } }', 'Expected text, found a list.'],
  ['{ name: x, tasks: { a: } }', 'Expected a mapping, found nothing.'],
  ['{ name: x, tasks: { a: { function: f, uses: ./b.yaml } } }', 'it cannot have `uses` too'],
  [
    '{ name: x, tasks: { a: { function: f, retry: often } } }',
    'Expected a number or a mapping, found "often".',
  ],
  [
    '{ name: x, tasks: { a: { function: f, on-interrupt: stop } } }',
    'Expected "restart", "continue" or "ask", found "stop".',
  ],
  [
    '{ name: x, tasks: { a: { function: f } }, graph: { a: { function: f, next: end } } }',
    'either `tasks` or a `graph`',
  ],
  ['{ name: x, start: a, tasks: { a: { function: f } } }', '`start` belongs to a graph'],
  ['{ name: x, graph: { a: { function: f, next: end } } }', 'A graph needs `start`'],
  ['{ name: x, start: a, graph: { a: { function: f, next: [{ if: "true" }] } } }', '`to` is missing.'],
  ['{ name: x, tasks: { a: { for-each: {}, function: f } } }', 'either `in` (a list) or `matrix`'],
  [
    '{ name: x, tasks: { a: { for-each: { in: 3 }, function: f } } }',
    'A for-each goes through a list; this is a number.',
  ],
  ['{ name: x, tasks: { a: { for-each: { matrix: { os: linux } }, function: f } } }', 'this is text'],
  ['{ name: x, tasks: { a: { function: f, output: { a: strng } } } }', 'There is no type `strng`.'],
  [
    '{ name: x, tasks: { a: { function: f, output: [string, number] } } }',
    'A list type names the type of its items',
  ],
  [
    '{ name: x, tasks: { a: { function: f, output: { $ref: "http://x" } } } }',
    'The JSON Schema cannot be used',
  ],
  [
    '{ name: x, inputs: { a: { default: 1 } }, tasks: { a: { function: f } } }',
    'either a `type` or a `schema`',
  ],
  ['{ name: x, tasks: { a: { tasks: { b: { function: f } }, with: { c: 1 } } } }', '`with` is for functions'],
])('%s is refused', async (text, message) => {
  const problems = await parseProblems(text);
  expect(messages(problems)).toEqual([expect.stringContaining(message)]);
  expect(problems[0]).toMatchObject({
    file: 'main.yaml',
    line: expect.any(Number),
    column: expect.any(Number),
  });
});

test('a key that is there twice is refused', async () => {
  const [problem] = await parseProblems('name: x\ntasks:\n  a: { function: f }\n  a: { function: g }\n');
  expect(problem).toMatchObject({ line: 4, column: 3, message: '`a` is there twice: first in line 3.' });
});

test('what is no YAML is refused where it breaks', async () => {
  const [problem] = await parseProblems('name: x\ntasks: [\n');
  expect(problem).toMatchObject({ file: 'main.yaml', line: 2, column: 8, remedy: 'Close it: `]`.' });
});

test.each([
  ['tasks: { a: { function: f, with: { b: ${{ inputs.c }} } } }', 39, 'b: "${{ inputs.c }}" } } }'],
  [
    `tasks: { a: { function: f, with: { b: "\${{ 1 }}", c: \${{ x == "y" }} } } }`,
    54,
    `c: '\${{ x == "y" }}' } } }`,
  ],
  ['tasks: { a: { function: f, with: { b: ${{ inputs.c', 39, 'b: "${{ inputs.c"'],
])(
  'an expression that breaks the YAML around it is to be put in quotes: %s',
  async (line, column, inQuotes) => {
    const rest = `\n${Array.from({ length: 40 }, (_, index) => `  t${index}: { function: "\${{ 1 }}" }\n`).join('')}`;
    const [problem, ...others] = await parseProblems(`name: x\n${line}${rest}`);
    expect(problem).toEqual({
      file: 'main.yaml',
      line: 2,
      column,
      path: '',
      message: expect.stringContaining('for its own'),
      remedy: expect.stringContaining(inQuotes),
      excerpt: `${line}\n${' '.repeat(column - 1)}^`,
    });
    expect(others).toEqual([]);
  },
);

test('of errors of syntax the first is told, since the others follow from it, and of keys that are there twice all', async () => {
  const problems = await parseProblems(
    'name: x\nname: y\ntasks:\n  a: { function: f }\n  a: [\n b\n  c: d: e\n',
  );
  expect(problems.map(({ line }) => line)).toEqual([2, 5, 5]);
  expect(problems.at(-1)!.excerpt).toMatch(/\n *\^$/);
});

test('an expression that YAML cut at ` #` is refused with the reason', async () => {
  const problems = await parseProblems(`
name: x
inputs: { title: string }
tasks:
  a:
    if: inputs.title == 'issue #1'
    function: f
    with: Fix \${{ inputs.title + " #1" }} now
`);
  expect(problems.map(({ line }) => line)).toEqual([6, 8]);
  for (const { remedy } of problems) expect(remedy).toContain('put all of it in quotes');
});

test('anchors, aliases and merge keys work', async () => {
  const { tasks } = await parsed(`
name: x
tasks:
  a: &base { function: f, retry: 3 }
  b: *base
  c: { <<: *base, timeout: 1s }
`);
  expect(tasks.map(({ retry }) => retry.attempts)).toEqual([3, 3, 3]);
  expect(tasks[2]!.timeoutMs).toBe(1_000);
});

test('aliases that make something huge of something small are refused', async () => {
  const lists = Array.from(
    { length: 9 },
    (_, index) => `l${index + 1}: &l${index + 1} [${`*l${index}, `.repeat(9)}]`,
  );
  const text = `name: x\nl0: &l0 [lol]\n${lists.join('\n')}\n`;
  expect(messages(await parseProblems(text))).toEqual([expect.stringContaining('aliases')]);
});

test('a file of more than a mebibyte is refused unread', async () => {
  const text = `name: x\n# ${'x'.repeat(1_048_576)}`;
  expect(messages(await parseProblems(text))).toEqual(['The file is bigger than 1 MiB.']);
});

test('a function that does not exist is refused if it is known which do', async () => {
  const text = 'name: x\ntasks: { a: { function: buildd } }';
  const source = { file: 'main.yaml', read: () => '', functions: ['build', 'test'] };
  expect(await refusalOf(parseWorkflow(text, source))).toMatchObject([
    { line: 2, column: 25, message: 'There is no function `buildd`.', remedy: 'Did you mean `build`?' },
  ]);
  await expect(parsed(text)).resolves.toMatchObject({ name: 'x' });
});

/** One per line, as there are many. */
const words = `plan
x-y
end
string
30s
\${{
\${{ }}
1 +
tasks.plan.output.ok
failure()
/(/
\${{ tasks.plan.output.x }}
a \${{ size(tasks.plan.outputs) / 2 }}
\${{ item.x }}
\${{ a ? b : c }}
\${{ state.n-1 }}
\${{ tasks }}
./main.yaml
constructor
__proto__
it's`.split('\n');
const taskKeys = 'function with needs if for-each output retry timeout next update uses tasks'.split(' ');

test('whatever a file says, it is accepted or refused with problems that have a place', async () => {
  const word = fc.constantFrom(...words);
  const json = fc.oneof(word, fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme' }));
  const entry = fc.dictionary(
    fc.constantFrom(...taskKeys),
    fc.oneof(json, fc.dictionary(word, json, { maxKeys: 3 })),
    { maxKeys: 4 },
  );
  const entries = fc.dictionary(
    fc.constantFrom('plan', 'x-y', 'end', 'b'),
    fc.oneof({ arbitrary: entry, weight: 9 }, json),
    { maxKeys: 4 },
  );
  const file = fc.record(
    {
      name: fc.constant('x'),
      tasks: entries,
      graph: entries,
      inputs: json,
      state: json,
      start: word,
      outputs: json,
      defaults: entry,
    },
    { requiredKeys: ['name'] },
  );
  await fc.assert(
    fc.asyncProperty(file, async (content) => {
      const text = JSON.stringify(content);
      const source = { file: 'main.yaml', read: () => text };
      const problems = await parseWorkflow(text, source).then(
        () => [],
        (error) => refusalOf(Promise.reject(error)),
      );
      for (const problem of problems) {
        expect([problem.file, problem.line, problem.column]).not.toContain(undefined);
      }
    }),
    { numRuns: propertyRuns / 2 },
  );
});

test.each([
  ['[a, b]', ['a', 'b']],
  ['${{ inputs.parts }}', '${{ inputs.parts }}'],
])('a for-each may be its list alone: %s', async (list, items) => {
  const text = (forEach: string): string =>
    `name: x\ninputs: { parts: [string] }\ntasks:\n  a:\n    for-each: ${forEach}\n    run: echo \${{ item }}\n`;
  const { tasks, hash } = await parsed(text(list));
  expect(tasks[0]!.forEach).toMatchObject({ in: items, as: 'item', matrix: false });
  expect((await parsed(text(`\n      in: ${list}`))).hash).toBe(hash);
});

test('a for-each that is no list is told so, where it stands', async () => {
  expect(places(await parseProblems('name: x\ntasks:\n  a:\n    for-each: all\n    run: ls\n'))).toEqual([
    '4:15 A for-each goes through a list; this is text.',
  ]);
});

test('the matrix of a for-each has include and exclude, and what they say is checked', async () => {
  const matrix = (rest: string): string =>
    `name: x\ntasks:\n  a:\n    for-each: { matrix: { os: [linux, mac], ${rest} }, fail-fast: false }\n    run: echo \${{ matrix.os }} \${{ has(matrix.full) }}\n`;
  const { tasks } = await parsed(matrix('include: [{ os: bsd, full: true }], exclude: [{ os: mac }]'));
  expect(tasks[0]!.forEach).toMatchObject({ matrix: true, failFast: false });
  const problems = await parseProblems(matrix('include: [bsd], exclude: [{ oss: mac }]'));
  expect(messages(problems)).toEqual([
    '`include` of a matrix is a list of mappings.',
    'The matrix has no list `oss`, so this excludes nothing.',
    expect.stringContaining('has no field `full`'),
  ]);
});
