import { describe, expect, test } from 'vitest';
import { agentNamed, type AgentRequest } from '../../src/agents/index.ts';
import { hasCode } from '../../src/base/index.ts';
import { parseWorkflow, selectTasks, type AgentDraft } from '../../src/definition/index.ts';
import { stateGraph, workflow as begin } from '../../src/index.ts';
import { agentNames, traitsOf, type AgentWork, type Permissions } from '../../src/model/index.ts';
import {
  messages,
  parse,
  parsed,
  parseProblems,
  places,
  refusal,
  refusalOf,
  task,
  workflow,
} from './support.ts';

test('every agent that a workflow may name has an adapter', () => {
  for (const name of agentNames) expect(agentNamed(name).name).toBe(name);
});

const request: AgentRequest = {
  prompt: 'Go.',
  directory: '/tmp',
  session: { type: 'new' },
  permissions: 'full',
  allowedCommands: [],
  allowed: [],
  args: ['program'],
  folder: '/tmp',
  effort: 'high',
  model: 'm',
  maxTurns: 3,
};

describe('what definitions are checked with is what the adapter says of itself', () => {
  test.each(agentNames)('%s', (name) => {
    const [agent, traits] = [agentNamed(name), traitsOf(name)];
    expect(traits.isAnyProgram).toBe(agent.executable === '');
    expect(agent.command(request).unmet).toEqual(traits.ignores);
    const accepts = (session: AgentRequest['session']): boolean => {
      try {
        return agent.command({ ...request, session }).argv.length > 0;
      } catch (error) {
        if (hasCode(error, 'SESSION_UNSUPPORTED')) return false;
        throw error;
      }
    };
    expect({
      continues: accepts({ type: 'continue', id: 's' }),
      forks: accepts({ type: 'fork', of: 's' }),
    }).toEqual({ continues: traits.sessions !== 'none', forks: traits.sessions === 'fork' });
  });
});

function refuses(agent: string, permissions: Permissions): boolean {
  try {
    agentNamed(agent).command({ ...request, permissions });
    return false;
  } catch (error) {
    if (hasCode(error, 'PERMISSIONS_UNSUPPORTED')) return true;
    throw error;
  }
}

/** Where something is wrong with a task that is given so. */
async function blamed(given: object): Promise<readonly (string | undefined)[]> {
  const tasks = { a: { prompt: 'x', args: ['program'], ...given } };
  const reading = parse(JSON.stringify({ name: 'w', tasks })).then(() => []);
  return reading.catch(async () => (await refusalOf(reading)).map(({ path }) => path));
}

test('every key of an agent ends up in the workflow', async () => {
  const { tasks } = await parsed(
    `
name: all
inputs: { topic: string }
env: { A: 1, B: 1 }
secrets: TOKEN
defaults: { agent: claude, permissions: full, model: fast, env: { B: 2 }, args: [--verbose] }
tasks:
  plan: { prompt: 'Plan \${{ inputs.topic }}.' }
  build:
    needs: plan
    agent: [claude, opencode]
    prompt: { file: prompts/build.md }
    permissions: [Read, 'Bash(npm test)']
    session: { fork: plan }
    model: clever
    effort: high
    max-turns: 7
    args: [--x, 3, true]
    env: { C: '\${{ tasks.plan.output }}' }
    secrets: KEY
    working-directory: packages
    approval: Build?
    resources: models
    timeout: 5m
    output: { done: boolean }
  test: { run: 'true' }
`,
    { 'prompts/build.md': 'Build it,\nall of ${{ inputs.topic }}.\n' },
  );
  expect(tasks.map(({ work }) => work)).toEqual([
    {
      type: 'agent',
      agents: ['claude'],
      prompt: 'Plan ${{ inputs.topic }}.',
      permissions: 'full',
      model: 'fast',
      args: ['--verbose'],
      env: { A: 1, B: 2 },
      secrets: ['TOKEN'],
    },
    {
      type: 'agent',
      agents: ['claude', 'opencode'],
      prompt: 'Build it,\nall of ${{ inputs.topic }}.\n',
      permissions: ['Read', 'Bash(npm test)'],
      session: { fork: 'plan' },
      model: 'clever',
      effort: 'high',
      maxTurns: 7,
      args: ['--x', '3', 'true'],
      env: { A: 1, B: 2, C: '${{ tasks.plan.output }}' },
      secrets: ['TOKEN', 'KEY'],
      workingDirectory: 'packages',
    },
    {
      type: 'command',
      run: 'true',
      shell: 'sh',
      env: { A: 1, B: 2 },
      secrets: ['TOKEN'],
      capture: 'text',
    },
  ]);
  expect(tasks[1]).toMatchObject({ reads: ['plan'], approval: 'Build?', timeoutMs: 300_000 });
});

test('an agent that is told nothing more may edit, and goes on after an interruption', async () => {
  const { tasks } = await parsed('{ name: w, tasks: { a: { agent: codex, prompt: Go. } } }');
  expect(tasks[0]).toMatchObject({ onInterrupt: 'continue', work: { permissions: 'edit', args: [] } });
});

test('that interrupted tasks continue by default concerns only the agents of a file', async () => {
  const { tasks } = await parsed(`
name: w
defaults: { agent: claude, on-interrupt: continue }
tasks: { a: { prompt: Go. }, b: { run: make }, c: { run: git push }, d: { function: f } }
`);
  expect(tasks.map(({ onInterrupt }) => onInterrupt)).toEqual(['continue', 'restart', 'ask', 'restart']);
});

test('an agent in a graph changes nothing in the state, unless it says what', async () => {
  const { tasks } = await parsed(`
name: g
state: { ok: false }
start: a
defaults: { agent: claude }
graph:
  a: { prompt: 'See \${{ state.ok }}', next: b }
  b: { prompt: Judge., output: { ok: boolean }, next: c }
  c: { prompt: Judge., output: { ok: boolean }, update: { ok: '\${{ output.ok }}' }, next: end }
`);
  expect(tasks.map(({ update }) => update)).toEqual([{}, {}, { ok: '${{ output.ok }}' }]);
});

test('hyphens in names are understood in prompts', async () => {
  const { tasks } = await parsed(
    `
name: w
inputs: { all-files: [string] }
defaults: { agent: claude }
tasks:
  read-all: { prompt: Read. }
  each:
    needs: read-all
    for-each: { in: '\${{ inputs.all-files }}', as: one-file }
    prompt: { file: each.md }
`,
    { 'each.md': '${{ tasks.read-all.output }} about ${{ one-file }}' },
  );
  expect(tasks[1]).toMatchObject({
    reads: ['read-all'],
    work: { prompt: '${{ tasks["read-all"].output }} about ${{ one_file }}' },
  });
});

describe('prompt files', () => {
  const user = (file: string) =>
    `name: w\ntasks:\n  a: { agent: claude, prompt: { file: ${file} } }\n  b: { needs: a, agent: claude, prompt: Go., session: { continue: a } }`;

  test('a change of the file is a change of the workflow', async () => {
    const [one, same, other] = await Promise.all(
      ['Go.', 'Go.', 'Stop.'].map((text) => parsed(user('p.md'), { 'p.md': text })),
    );
    expect(same!.hash).toBe(one!.hash);
    expect(other!.hash).not.toBe(one!.hash);
  });

  test('their paths are relative to the workflow file they stand in', async () => {
    const { tasks } = await parsed('name: x\ntasks: { u: { uses: sub/w.yaml } }', {
      'sub/w.yaml': user('./p.md'),
      'sub/p.md': 'From below.',
    });
    expect(tasks[0]!.work).toMatchObject({ workflow: { tasks: [{ work: { prompt: 'From below.' } }, {}] } });
  });

  test('one that cannot be read is told where it is named, and nothing else', async () => {
    expect(places(await parseProblems(user('gone.md')))).toEqual([
      '3:39 `gone.md` cannot be read: there is no gone.md',
    ]);
  });

  test('one that is not there is told without the words of the system', async () => {
    const gone = Object.assign(new Error("ENOENT: no such file or directory, open 'gone.md'"), {
      code: 'ENOENT',
    });
    const read = (): string => {
      throw new Error('Cannot read gone.md: ENOENT.', { cause: gone });
    };
    const problems = await refusalOf(parseWorkflow(user('gone.md'), { file: 'w.yaml', read }));
    expect(messages(problems)).toEqual(['`gone.md` cannot be read: there is no such file.']);
  });

  test('one that is empty is told', async () => {
    expect(messages(await parseProblems(user('p.md'), { 'p.md': ' \n' }))).toEqual(['The prompt is empty.']);
  });

  test('what is wrong with an expression in one is told with its own line and column', async () => {
    const problems = await parseProblems(user('p.md'), { 'p.md': 'Go on\nwith ${{ inputs.x }} now.' });
    expect(problems).toMatchObject([{ file: 'p.md', line: 2, column: 17, path: 'tasks.a.prompt' }]);
  });
});

describe('what is wrong with an agent is told, with its place', () => {
  test.each([
    ['prompt: x', '1:21 Nothing says which agent does `a`.'],
    ['agent: claude', '1:26 `agent` is for agents, and this task has no `prompt`.'],
    ['agent: claud, prompt: x', '1:33 There is no agent `claud`.'],
    ['agent: [claude, claude], prompt: x', '1:42 `claude` is named twice.'],
    ['agent: claude, prompt: ""', '1:49 The prompt is empty.'],
    ['agent: claude, prompt: x, run: y', '1:41 `a` is done by `run`; it cannot have `prompt` too.'],
    ['agent: claude, prompt: x, with: { y: 1 }', '1:52 `with` is for functions and workflow files.'],
    [
      'agent: claude, prompt: x, capture: text',
      '1:52 `capture` is for commands, and this task has no `run`.',
    ],
    ['run: x, session: { fork: b }', '1:34 `session` is for agents, and this task has no `prompt`.'],
    ['agent: claude, prompt: x, permissions: []', '1:65 The list allows nothing.'],
    [
      'agent: claude, prompt: x, max-turns: 0',
      '1:63 `max-turns` must be a whole number of at least 1; it is 0.',
    ],
    [
      'agent: claude, prompt: x, args: ["${{ inputs.y }}"]',
      '1:59 This is handed to the agent as it is: expressions are not evaluated here.',
    ],
    [
      'agent: claude, prompt: x, session: { fork: b, continue: b }',
      '1:61 A session is either gone on in (`continue`) or copied (`fork`).',
    ],
    [
      'agent: claude, prompt: x, env: { K: 1 }, secrets: K',
      '1:59 `K` is a secret, but its value would be written down here.',
    ],
    [
      'agent: claude, prompt: x, undo: y',
      '1:52 `undo` is not available yet: undoing comes with a later version.',
    ],
  ])('%s', async (given, expected) => {
    expect(places(await parseProblems(`{ name: w, tasks: { a: { ${given} } } }`))).toContain(expected);
  });

  test.each(['prompt: 3', 'prompt: { file: 3 }', 'prompt: x, permissions: all'])(
    '%s is told once, without consequences',
    async (given) => {
      const text = `{ name: w, tasks: { a: { agent: claude, ${given} }, b: { agent: claude, needs: a, prompt: x, session: { fork: a } } } }`;
      const problems = await parseProblems(text);
      expect(problems).toHaveLength(1);
      expect(problems[0]!.path).toMatch(/^tasks\.a\.(prompt|permissions)/);
    },
  );

  test('a misspelt key of a prompt is told, and no file is looked for', async () => {
    const text = '{ name: w, tasks: { a: { agent: claude, prompt: { fil: x.md } } } }';
    expect(await parseProblems(text)).toMatchObject([
      { path: 'tasks.a.prompt' },
      { path: 'tasks.a.prompt.fil', remedy: 'Did you mean `file`?' },
    ]);
  });

  test('an unknown agent of the defaults is told there, once', async () => {
    const text = '{ name: w, defaults: { agent: codx }, tasks: { a: { prompt: x }, b: { prompt: x } } }';
    expect(await parseProblems(text)).toMatchObject([
      { path: 'defaults.agent[0]', message: 'There is no agent `codx`.', remedy: 'Did you mean `codex`?' },
    ]);
  });

  test('any program can be an agent, if the task names it and lets it do what it does', async () => {
    const given = (more: string) => `{ name: w, tasks: { a: { agent: command, prompt: x${more} } } }`;
    expect(messages(await parseProblems(given('')))).toEqual([
      'The agent `command` is any program, and nothing says which.',
      'The agent `command` is any program, which cannot be limited.',
    ]);
    await expect(parse(given(', args: [cat, -n], permissions: full'))).resolves.toBeDefined();
  });

  test.each(agentNames)(
    'what %s cannot be limited to is refused before it would refuse to start',
    async (agent) => {
      const policies = ['read', 'edit', 'full', ['foo'], ['read-only', 'network']] as const;
      const found = await Promise.all(policies.map((permissions) => blamed({ agent, permissions })));
      const expected = policies.map((permissions) => (refuses(agent, permissions) ? ['tasks.a.agent'] : []));
      expect(found).toEqual(expected);
    },
  );

  test('any program that speaks ACP can be an agent, with any permissions, if the task names it', async () => {
    const given = (more: string) => `{ name: w, tasks: { a: { agent: acp, prompt: x${more} } } }`;
    expect(await parseProblems(given(''))).toMatchObject([
      {
        message: 'The agent `acp` is any program, and nothing says which.',
        remedy: 'Name it, with its arguments: `args: [opencode, acp]`.',
      },
    ]);
    const { tasks } = await parsed(given(', args: [opencode, acp], permissions: read'));
    expect(tasks[0]!.work).toMatchObject({ agents: ['acp'], args: ['opencode', 'acp'], permissions: 'read' });
  });

  test('a wish that an agent has no means for is told, once where it is made, and is no error', async () => {
    const { suggestions } = await parse(`
name: w
defaults: { agent: gemini, effort: high }
tasks:
  a: { prompt: x }
  b: { prompt: x }
  c: { agent: [claude, codex], prompt: x, max-turns: 3, model: m }
`);
    expect(suggestions).toMatchObject([
      {
        line: 3,
        path: 'defaults.effort',
        message: '`gemini` has no means for `effort`, and works without it.',
      },
      {
        line: 7,
        path: 'tasks.c.max-turns',
        message: '`codex` has no means for `max-turns`, and works without it.',
        remedy: 'Limit it by `timeout`, or by a `budget`.',
      },
    ]);
  });

  test('a prompt that YAML cuts off is told', async () => {
    const problems = await parseProblems(
      'name: w\ntasks:\n  a:\n    agent: claude\n    prompt: Fix issue #42\n',
    );
    expect(problems).toMatchObject([{ line: 5, path: 'tasks.a.prompt' }]);
  });

  test('an agent without a schema answers with text, which has no fields', async () => {
    const reader = (output: string) => `
name: w
defaults: { agent: claude }
tasks:
  a: { prompt: x${output} }
  b: { needs: a, prompt: 'Go on with \${{ tasks.a.output.n }}' }
`;
    expect(await parseProblems(reader(''))).toMatchObject([
      {
        message: 'The output of `a` is the text of its answer, which has no `n`.',
        remedy: 'Add `output: { n: … }` to `a`.',
      },
    ]);
    await expect(parse(reader(', output: { n: integer }'))).resolves.toBeDefined();
  });
});

describe('arguments by agent', () => {
  const given = (agent: string, args: string) =>
    `{ name: w, defaults: { permissions: full }, tasks: { a: { agent: ${agent}, prompt: x, args: ${args} } } }`;

  test('each agent of a task may have its own', async () => {
    const { tasks } = await parsed(given('[claude, acp]', '{ claude: [-v, 3], acp: [opencode, acp] }'));
    expect(tasks[0]!.work).toMatchObject({ args: { claude: ['-v', '3'], acp: ['opencode', 'acp'] } });
  });

  test('those of the defaults concern the agents that a task has', async () => {
    const { tasks } = await parsed(`
name: w
defaults: { agent: claude, args: { claude: [-v], codex: [-c] } }
tasks: { a: { prompt: x }, b: { agent: [codex, claude], prompt: x }, c: { agent: gemini, prompt: x } }
`);
    expect(tasks.map(({ work }) => (work as AgentWork).args)).toEqual([
      { claude: ['-v'] },
      { claude: ['-v'], codex: ['-c'] },
      {},
    ]);
  });

  test.each([
    [
      '[claude, command]',
      '[my-agent, --quiet]',
      'These name the program that is `command`; they cannot be the arguments of `claude` too.',
      'Write them by agent: `args: { command: [my-agent, --quiet] }`.',
    ],
    [
      '[acp, claude]',
      '["my agent", a, b, c, d]',
      'These name the program that is `acp`; they cannot be the arguments of `claude` too.',
      'Write them by agent: `args: { acp: ["my agent", a, b, c, …] }`.',
    ],
    [
      '[claude, command]',
      '{ claude: [-v] }',
      'The agent `command` is any program, and nothing says which.',
      'Name it, with its arguments: `args: { command: [my-agent, --quiet] }`.',
    ],
    [
      'command',
      '[""]',
      'The agent `command` is any program, and nothing says which.',
      'Name it, with its arguments: `args: [my-agent, --quiet]`.',
    ],
    ['[claude, codex]', '{ codx: [-v] }', '`codx` is no agent of this task.', 'Did you mean `codex`?'],
    ['claude', '{ gemini: [-v] }', '`gemini` is no agent of this task.', 'Its agents are: claude.'],
    [
      'claude',
      '{ claude: ["${{ run.id }}"] }',
      'This is handed to the agent as it is: expressions are not evaluated here.',
      'Put them in `prompt` or `env`.',
    ],
  ])('%s with %s is refused, and told what to write', async (agent, args, message, remedy) => {
    expect(await parseProblems(given(agent, args))).toMatchObject([{ message, remedy }]);
  });

  test('a name that is no agent at all is told where it stands in the defaults', async () => {
    const text =
      '{ name: w, defaults: { agent: claude, args: { claud: [-v] } }, tasks: { a: { prompt: x } } }';
    expect(await parseProblems(text)).toMatchObject([
      { path: 'defaults.args.claud', message: '`claud` is no agent of this task.' },
    ]);
  });
});

describe('sessions', () => {
  const problemsOf = async (tasks: string) =>
    messages(await parseProblems(`name: w\ndefaults: { agent: claude }\ntasks:\n${tasks}`));
  const accepts = (tasks: string) => parsed(`name: w\ndefaults: { agent: claude }\ntasks:\n${tasks}`);

  test.each([
    ['a task that does not exist', 'b: { prompt: x, session: { continue: aa } }', 'There is no task `aa`.'],
    ['its own', 'b: { prompt: x, session: { continue: b } }', '`b` has no session before it starts.'],
    [
      'a task it does not need',
      'b: { prompt: x, session: { fork: a } }',
      '`b` goes on in the session of `a` without needing it. It may not have run yet.',
    ],
    [
      'a command',
      'b: { needs: c, prompt: x, session: { fork: c } }',
      '`c` is not done by an agent, so it has no session.',
    ],
    [
      'another agent',
      'b: { needs: a, agent: [codex, claude], prompt: x, session: { fork: a } }',
      '`b` is done by `codex`, which cannot go on in a session of `claude`.',
    ],
    [
      'a task with many',
      'b: { needs: e, prompt: x, session: { fork: e } }',
      '`e` runs once for each item, so it has many sessions.',
    ],
  ])('a task cannot go on in the session of %s', async (_, line, message) => {
    const others = '  a: { prompt: x }\n  c: { run: x }\n  e: { for-each: { in: [1, 2] }, prompt: x }\n';
    expect(await problemsOf(`${others}  ${line}`)).toEqual([message]);
  });

  const copying =
    'Write `session: { continue: a }`, or use an agent whose sessions can: claude, codex, opencode, acp, scripted.';
  const telling = 'Tell this one in its prompt what it has to know.';

  test.each([
    ['fork', 'gemini', 'gemini', '`a` is done by `gemini`, whose sessions cannot be copied.', copying],
    ['fork', 'goose', 'goose', '`a` is done by `goose`, whose sessions cannot be copied.', copying],
    [
      'fork',
      '[claude, gemini]',
      'claude',
      '`a` may be done by `gemini`, whose sessions cannot be copied.',
      copying,
    ],
    ['fork', 'command', 'command', '`a` is done by `command`, which keeps no sessions.', telling],
    ['continue', 'command', 'command', '`a` is done by `command`, which keeps no sessions.', telling],
    [
      'continue',
      '[claude, command]',
      'claude',
      '`a` may be done by `command`, which keeps no sessions.',
      telling,
    ],
  ])(
    'that a task cannot %s a session of %s is known before anything runs',
    async (how, first, second, message, remedy) => {
      const text = `name: w
defaults: { permissions: full, args: { command: [my-agent] } }
tasks:
  a: { agent: ${first}, prompt: x }
  b: { needs: a, agent: ${second}, prompt: x, session: { ${how}: a } }`;
      expect(await parseProblems(text)).toMatchObject([{ path: `tasks.b.session.${how}`, message, remedy }]);
    },
  );

  test('a session that was gone on in is still one of the agent that began it', async () => {
    expect(
      await problemsOf(`  a: { agent: [claude, goose], permissions: full, prompt: x }
  b: { needs: a, prompt: x, session: { continue: a } }
  c: { needs: b, prompt: x, session: { fork: b } }`),
    ).toEqual(['`b` may be done by `goose`, whose sessions cannot be copied.']);
  });

  test('who only stands in, and will not be given the session, need not be able to copy it', async () => {
    const { tasks } = await accepts(`  a: { prompt: x }
  b: { needs: a, agent: [claude, gemini], prompt: x, session: { fork: a } }`);
    expect(tasks[1]!.work).toMatchObject({ agents: ['claude', 'gemini'], session: { fork: 'a' } });
  });

  test('a program that speaks ACP cannot go on in the session of another program', async () => {
    const file = (second: string) => `name: w
defaults: { agent: acp, args: [opencode, acp] }
tasks:
  a: { prompt: x }
  b: { needs: a, prompt: x, session: { continue: a }, args: [${second}] }`;
    await expect(parse(file('opencode, acp, --verbose'))).resolves.toBeDefined();
    expect(messages(await parseProblems(file('gemini, --acp')))).toEqual([
      '`b` is done by `gemini`, which cannot go on in a session of `opencode`.',
    ]);
  });

  test('tasks in a task share sessions among themselves, not with those around', async () => {
    const body = (session: string) => `  a: { prompt: x }
  group:
    needs: a
    for-each: { in: [1, 2] }
    tasks:
      b: { prompt: x }
      c: { needs: b, prompt: x, session: { continue: ${session} } }`;
    await accepts(body('b'));
    expect(await problemsOf(body('a'))).toEqual(['There is no task `a` beside this one.']);
  });

  test('a session may be continued by one task after the other', async () => {
    const { tasks } = await accepts(`  a: { prompt: x }
  b: { needs: a, prompt: x, session: { continue: a } }
  between: { needs: b, run: make }
  c: { needs: between, prompt: x, session: { continue: a } }
  d: { needs: c, prompt: x, session: { continue: b } }`);
    expect(tasks.map(({ work }) => (work as AgentWork).session)).toEqual([
      undefined,
      { continue: 'a' },
      undefined,
      { continue: 'a' },
      { continue: 'b' },
    ]);
  });

  test('tasks that may run at the same time cannot both continue a session, but fork it', async () => {
    const pair = (how: string) => `  a: { prompt: x }
  b: { needs: a, prompt: x, session: { ${how}: a } }
  c: { needs: a, prompt: x, session: { ${how}: a } }`;
    const problems = await parseProblems(`name: w\ndefaults: { agent: claude }\ntasks:\n${pair('continue')}`);
    expect(problems).toMatchObject([
      {
        path: 'tasks.c.session.continue',
        message: '`c` and `b` may run at the same time; they cannot both continue one session.',
        remedy: 'Let it fork the session: `session: { fork: a }`; or order them with `needs`.',
      },
    ]);
    await accepts(pair('fork'));
  });

  test('a session that is continued through another task is still the same session', async () => {
    expect(
      await problemsOf(`  a: { prompt: x }
  b: { needs: a, prompt: x, session: { continue: a } }
  c: { needs: b, prompt: x, session: { continue: b } }
  d: { needs: b, prompt: x, session: { continue: a } }
  e: { needs: a, prompt: x, session: { fork: a } }
  f: { needs: e, prompt: x, session: { continue: e } }`),
    ).toEqual(['`d` and `c` may run at the same time; they cannot both continue one session.']);
  });

  test('items continue a session only one at a time', async () => {
    const items = (more: string) => `  a: { prompt: x }
  b: { needs: a, for-each: { in: [1, 2]${more} }, prompt: x, session: { continue: a } }`;
    expect(await problemsOf(items(''))).toEqual([
      'Items of `b` may run at the same time; they cannot all continue the session of `a`.',
    ]);
    await accepts(items(', max-parallel: 1'));
  });

  test('tasks that wait for each other in a circle are told as such, whatever their sessions', async () => {
    expect(
      await problemsOf(`  a: { needs: b, prompt: x, session: { continue: b } }
  b: { needs: a, prompt: x, session: { continue: a } }`),
    ).toEqual(['These tasks wait for each other: a → b → a (each needs the next).']);
  });

  test('a node goes on in the session of one that every way to it leads over', async () => {
    const graph = (start: string) => `
name: g
start: ${start}
defaults: { agent: claude }
graph:
  write: { prompt: x, next: review }
  review: { prompt: x, session: { continue: write }, next: [{ if: run.id == "1", to: end }, { to: write }] }
`;
    await expect(parse(graph('write'))).resolves.toBeDefined();
    expect(messages(await parseProblems(graph('review')))).toEqual([
      '`review` can be reached before `write`, whose session it goes on in.',
    ]);
  });

  test('a part of a workflow cannot leave out the task whose session is gone on in', async () => {
    const whole = await accepts('  a: { prompt: x }\n  b: { needs: a, prompt: x, session: { fork: a } }');
    expect(() => selectTasks(whole, { only: ['b'] })).toThrow(
      'The selection leaves out what is used: `b` goes on in the session of `a`.',
    );
    expect(selectTasks(whole, { only: ['a'] }).tasks).toHaveLength(1);
  });
});

describe('in TypeScript', () => {
  test('both builders know agents', () => {
    const { workflow: tasks } = begin<{ topic: string }>('w')
      .agent('plan', { agent: 'claude', permissions: 'read' }, 'Plan ${{ inputs.topic }}.')
      .agent(
        'build',
        {
          agent: ['claude', 'codex'],
          needs: ['plan'],
          session: { continue: 'plan' },
          model: 'm',
          effort: 'high',
          maxTurns: 3,
          args: ['-v'],
          env: { A: 1 },
          secrets: ['KEY'],
          workingDirectory: 'src',
          onInterrupt: 'ask',
          output: { type: 'object' },
        },
        'Build ${{ tasks.plan.output }}.',
      );
    expect(tasks.tasks).toMatchObject([
      { onInterrupt: 'continue', work: { type: 'agent', agents: ['claude'], permissions: 'read' } },
      {
        onInterrupt: 'ask',
        reads: ['plan'],
        output: { type: 'object' },
        work: {
          agents: ['claude', 'codex'],
          session: { continue: 'plan' },
          model: 'm',
          effort: 'high',
          maxTurns: 3,
          args: ['-v'],
          env: { A: 1 },
          secrets: ['KEY'],
          workingDirectory: 'src',
        },
      },
    ]);
    const { workflow: graph } = stateGraph<{ log: string }>('g', { state: { log: '' } })
      .agent('look', { agent: 'claude', update: (log) => ({ log }) }, 'Look at ${{ state.log }}.')
      .agent('judge', { agent: 'claude', session: { fork: 'look' } }, 'Judge.')
      .edge('look', 'judge')
      .edge('judge', 'end');
    expect(graph.tasks.map(({ update }) => update)).toEqual([{ $function: 'look:update' }, {}]);
  });

  test.each<[string, Partial<AgentDraft>]>([
    ['There is no agent `x`.', { agents: ['x'] }],
    ['Nothing says which agent does `a`.', { agents: [] }],
    ['`all` is no policy.', { permissions: 'all' as 'full' }],
    ['No program can be given the character NUL.', { args: ['\0'] }],
    ['No program can be given the character NUL.', { args: { claude: ['\0'] } }],
    ['There is nothing here.', { model: ' ' }],
  ])('what types cannot tell is refused: %s', (message, given) => {
    const work: AgentDraft = { type: 'agent', agents: ['claude'], prompt: 'Go.', ...given };
    expect(messages(refusal(() => workflow([task('a', { work })])))).toEqual([message]);
  });
});
