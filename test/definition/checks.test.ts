import { describe, expect, test } from 'vitest';
import { selectTasks, type TaskDraft } from '../../src/definition/index.ts';
import { stateGraph, workflow as begin } from '../../src/index.ts';
import type { TaskSpec } from '../../src/model/index.ts';
import { messages, parse, parsed, parseProblems, places, refusal, task, workflow } from './support.ts';

const agent = 'agent: claude, prompt: Go.';

/** The check of the last task of a file. */
async function checkOf(tasks: string, head = ''): Promise<TaskSpec['check']> {
  const { tasks: specs } = await parsed(`name: w\n${head}\ntasks:\n${tasks}`);
  return specs.at(-1)!.check;
}

test('a check is a command that may be passed at the second try', async () => {
  expect(await checkOf(`  a: { ${agent}, check: npm test }`)).toEqual({
    work: { type: 'command', run: 'npm test', shell: 'sh', env: {}, secrets: [], capture: 'none' },
    revise: 1,
    onInterrupt: 'restart',
  });
});

test('a check is run where the agent is, with its environment and secrets, in the shell of the task', async () => {
  const own = `  a:
    agent: claude
    prompt: Go.
    env: { MODE: "\${{ inputs.mode }}" }
    secrets: TOKEN
    working-directory: packages/\${{ inputs.mode }}
    shell: bash
    check: { run: make check, revise: 3 }`;
  expect(await checkOf(own, 'inputs: { mode: string }\nenv: { ALL: 1 }')).toEqual({
    work: {
      type: 'command',
      run: 'make check',
      shell: 'bash',
      env: { ALL: 1, MODE: '${{ inputs.mode }}' },
      secrets: ['TOKEN'],
      workingDirectory: 'packages/${{ inputs.mode }}',
      capture: 'none',
    },
    revise: 3,
    onInterrupt: 'restart',
  });
});

test('an expression in the text of a check becomes a quoted variable, one in a list stays an argument', async () => {
  const text = `  a: { ${agent}, check: "test -f \${{ inputs.file }} && grep -q \${{ inputs.file }} list" }`;
  expect((await checkOf(text, 'inputs: { file: string }'))!.work).toMatchObject({
    run: 'test -f "${PITON_VALUE_1}" && grep -q "${PITON_VALUE_1}" list',
    env: { PITON_VALUE_1: '${{ inputs.file }}' },
  });
  const list = `  a: { ${agent}, check: { run: [test, -f, "\${{ inputs.file }}", 1] } }`;
  expect((await checkOf(list, 'inputs: { file: string }'))!.work).toMatchObject({
    run: ['test', '-f', '${{ inputs.file }}', '1'],
    env: {},
  });
});

test('a check reads tasks, the item and names with hyphens, and the task is known to read them', async () => {
  const { tasks } = await parsed(`
name: w
inputs: { all-files: [string] }
tasks:
  list-all: { run: ls }
  each:
    needs: list-all
    for-each: { in: '\${{ inputs.all-files }}', as: one-file }
    agent: claude
    prompt: Go.
    check: grep -q \${{ one-file }} \${{ tasks.list-all.output }}
`);
  expect(tasks[1]).toMatchObject({
    reads: ['list-all'],
    check: {
      work: { env: { PITON_VALUE_1: '${{ one_file }}', PITON_VALUE_2: '${{ tasks["list-all"].output }}' } },
    },
  });
  const whole = await parsed(`name: w
tasks:
  a: { run: ls }
  b: { needs: a, ${agent}, check: "test \${{ tasks.a.output }}" }`);
  expect(() => selectTasks(whole, { only: ['b'] })).toThrow('`b` reads `a`');
});

test('a check of a node sees the state', async () => {
  const graph = (field: string) => `
name: g
state: { file: x }
start: a
graph: { a: { ${agent}, check: "test -f \${{ state.${field} }}", next: end } }
`;
  expect((await parsed(graph('file'))).tasks[0]!.check!.work.env).toEqual({
    PITON_VALUE_1: '${{ state.file }}',
  });
  expect(await parseProblems(graph('fil'))).toMatchObject([{ path: 'graph.a.check.run' }]);
});

test('a check that cannot be taken back asks after an interruption, and is told to be more than a look', async () => {
  const { workflow, suggestions } = await parse(
    `name: w\ntasks:\n  a: { ${agent}, check: npm test && git push }`,
  );
  expect(workflow.tasks[0]).toMatchObject({ onInterrupt: 'continue', check: { onInterrupt: 'ask' } });
  expect(suggestions).toMatchObject([
    {
      line: 3,
      path: 'tasks.a.check',
      message:
        'The check of `a` is more than a look: it pushes commits. It is run again after every revision.',
    },
  ]);
});

test('another check, or another number of revisions, is another definition', async () => {
  const hashes = await Promise.all(
    ['', ', check: make', ', check: make', ', check: make x', ', check: { run: make, revise: 2 }'].map(
      async (check) => (await parsed(`{ name: w, tasks: { a: { ${agent}${check} } } }`)).hash,
    ),
  );
  expect(hashes[1]).toBe(hashes[2]);
  expect(new Set(hashes).size).toBe(4);
});

describe('a check in the defaults', () => {
  const file = (own: string) => `name: w
inputs: { x: string }
defaults: { agent: claude, check: { run: make, revise: 4 }, shell: bash }
tasks: { a: { prompt: Go.${own} }, b: { run: ls }, c: { function: f }, d: { tasks: { e: { prompt: Go. } } } }`;

  test('is that of every agent that has none of its own, and of nothing else', async () => {
    const { tasks } = await parsed(file(''));
    expect(tasks.map(({ check }) => check?.work.run)).toEqual(['make', undefined, undefined, undefined]);
    expect(tasks[0]!.check).toMatchObject({ revise: 4, work: { shell: 'bash' } });
    expect(tasks[3]!.work).toMatchObject({ workflow: { tasks: [{ check: { revise: 4 } }] } });
    expect((await parsed(file(', check: ls'))).tasks[0]!.check).toMatchObject({
      revise: 1,
      work: { run: 'ls' },
    });
  });

  test('is not that of a task that wants none', async () => {
    expect((await parsed(file(', check: false'))).tasks[0]).not.toHaveProperty('check');
  });

  test('is wrong there, and only once', async () => {
    const text = `name: w
defaults: { agent: claude, check: { run: make, revise: 21 } }
tasks: { a: { prompt: Go. }, b: { prompt: Go. } }`;
    expect(await parseProblems(text)).toMatchObject([
      { path: 'defaults.check.revise', message: '`revise` must be a whole number from 0 to 20; it is 21.' },
    ]);
  });
});

describe('what is wrong with a check is told, with its place', () => {
  test.each([
    ['run: ls, check: make', '1:35 `check` is for agents, and this task has no `prompt`.'],
    ['function: f, check: make', '1:39 `check` is for agents, and this task has no `prompt`.'],
    ['check: make, tasks: { b: { run: ls } }', '1:26 `check` is for agents, and this task has no `prompt`.'],
    [`${agent}, check: ""`, '1:61 There is no command here.'],
    [`${agent}, check: { run: [] }`, '1:68 There is no command here.'],
    [`${agent}, check: 3`, '1:61 Expected false, text or a mapping, found 3.'],
    [`${agent}, check: { revise: 1 }`, '1:61 `run` is missing.'],
    [`${agent}, check: { run: x, revises: 1 }`, '1:71 There is no key `revises` here.'],
    [
      `${agent}, check: { run: x, revise: -1 }`,
      '1:79 `revise` must be a whole number from 0 to 20; it is -1.',
    ],
    [
      `${agent}, check: { run: x, revise: 1.5 }`,
      '1:79 `revise` must be a whole number from 0 to 20; it is 1.5.',
    ],
    [`${agent}, check: x, shell: "bash -u"`, '1:71 `bash -u` is not the name or path of a shell.'],
    [
      `${agent}, check: { run: [x] }, shell: bash`,
      '1:75 A list of a program and its arguments is seen by no shell.',
    ],
    [`${agent}, shell: bash`, '1:54 `shell` is for commands, and this task has no `run`.'],
    [`${agent}, check: "test \${{ inputs.x }}"`, '1:78 `inputs` has no field `x`.'],
    [`${agent}, check: "test \${{ output }}"`, '1:71 There is no variable `output` here.'],
    [`${agent}, check: "test \${{ tasks.b.output }}"`, '1:77 There is no task `b`.'],
    [`${agent}, check: "test \${{"`, '1:67 An expression begins here with `${{` and is never closed.'],
    [`${agent}, check: "eval \${{ run.id }}"`, '1:71 `eval` would execute what is in this value.'],
    [`${agent}, check: { run: ["\${{ [1, 2] }}"] }`, '1:74 An argument is one text; this is a list.'],
  ])('%s', async (given, expected) => {
    expect(places(await parseProblems(`{ name: w, tasks: { a: { ${given} } } }`))).toEqual([expected]);
  });

  test('a value in a here-document whose delimiter is quoted', async () => {
    const text = `name: w
tasks:
  a:
    agent: claude
    prompt: Go.
    check: |
      cat <<'END'
      \${{ run.id }}
      END
`;
    expect(await parseProblems(text)).toMatchObject([
      { line: 8, message: expect.stringContaining('a here-document whose delimiter is quoted') },
    ]);
  });

  test('a text that YAML cuts off', async () => {
    const text = `name: w\ntasks:\n  a:\n    agent: claude\n    prompt: Go.\n    check: grep -q #42 list\n`;
    expect(await parseProblems(text)).toMatchObject([{ line: 6, path: 'tasks.a.check' }]);
  });

  test.each([
    ['run: ls', 'Put it into `run`, behind `&&`: a command that fails has failed.'],
    ['function: f', 'Let the function throw, or put the check into a task of its own.'],
    ['uses: x.yaml', 'Put it on the task inside that has the `prompt`, or into a task of its own.'],
  ])('a task with %s is told where its check belongs', async (work, remedy) => {
    const files = { 'x.yaml': '{ name: x, tasks: { b: { run: ls } } }' };
    const text = `{ name: w, tasks: { a: { ${work}, check: make } } }`;
    expect(await parseProblems(text, files)).toMatchObject([{ remedy }]);
  });
});

describe('in TypeScript', () => {
  const check = { work: { type: 'command', run: 'make' } } as const;

  test('both builders know checks', () => {
    const { workflow: tasks } = begin<{ file: string }>('w', {})
      .agent('a', { agent: 'claude', check: 'test -f ${{ inputs.file }}', shell: 'bash' }, 'Go.')
      .agent('b', { agent: 'claude', env: { A: 1 }, check: { run: ['make', 'b'], revise: 0 } }, 'Go.');
    expect(tasks.tasks.map((spec) => spec.check)).toMatchObject([
      { revise: 1, work: { run: 'test -f "${PITON_VALUE_1}"', shell: 'bash' } },
      { revise: 0, work: { run: ['make', 'b'], env: { A: 1 } } },
    ]);
    const { workflow: graph } = stateGraph<object>('g')
      .agent('a', { agent: 'claude', check: { run: 'make' } }, 'Go.')
      .edge('a', 'end');
    expect(graph.tasks[0]!.check).toMatchObject({ revise: 1, work: { run: 'make' } });
  });

  test('a workflow inside another keeps its checks as they are', () => {
    const inner = begin<{ file: string }>('inner').agent(
      'a',
      { agent: 'claude', env: { A: 1 }, secrets: ['KEY'], check: 'test -f ${{ inputs.file }}' },
      'Go.',
    );
    const outer = begin('outer').task('in', { with: () => ({ file: 'x' }) }, inner);
    expect(outer.workflow.tasks[0]!.work).toMatchObject({
      workflow: { tasks: [{ check: inner.workflow.tasks[0]!.check }] },
    });
  });

  test.each<[string, Partial<TaskDraft>]>([
    ['`check` is for agents, and this task is done by none.', { check }],
    [
      '`check` is for agents, and this task is done by none.',
      { check, work: { type: 'command', run: 'ls' } },
    ],
    [
      'No program can be given the character NUL.',
      {
        check: { work: { type: 'command', run: 'a\0' } },
        work: { type: 'agent', agents: ['claude'], prompt: 'Go.' },
      },
    ],
  ])('what types cannot tell is refused: %s', (message, given) => {
    expect(messages(refusal(() => workflow([task('a', given)])))).toEqual([message]);
  });
});
