import { describe, expect, test } from 'vitest';
import { stateGraph, workflow as begin } from '../../src/index.ts';
import type { TaskSpec, Workflow } from '../../src/model/index.ts';
import { messages, parse, parsed, parseProblems, places, refusal, task, workflow } from './support.ts';

const agent = 'agent: claude, prompt: Go.';
const command = { type: 'command', shell: 'sh', env: {}, secrets: [], capture: 'none' } as const;

const flow = (tasks: string, head = ''): string => `name: w\n${head}\ntasks:\n${tasks}`;

/** The last task of a file. */
async function last(tasks: string, head = ''): Promise<TaskSpec> {
  return (await parsed(flow(tasks, head))).tasks.at(-1)!;
}

describe('where tasks work', () => {
  test('is said by the workflow and by tasks, and nothing is there if nobody says it', async () => {
    const told = await parsed(
      flow('  a: { run: ls, workspace: worktree }\n  b: { run: ls }', 'workspace: shared\nbase: main'),
    );
    expect(told).toMatchObject({ workspace: { mode: 'shared' }, base: 'main' });
    expect(told.tasks[0]!.workspace).toEqual({ mode: 'worktree' });
    expect(told.tasks[1]).not.toHaveProperty('workspace');
    const silent = await parsed(flow('  a: { run: ls }'));
    for (const key of ['workspace', 'base']) expect(silent).not.toHaveProperty(key);
    for (const key of ['workspace', 'setup', 'onConflict']) expect(silent.tasks[0]).not.toHaveProperty(key);
  });

  test('is taken from the defaults by commands and agents, and by nobody else', async () => {
    const { tasks } = await parsed(
      flow(
        `  a: { run: ls }\n  b: { ${agent}, workspace: shared }\n  c: { function: f }`,
        'defaults: { workspace: worktree }',
      ),
    );
    expect(tasks.map(({ workspace }) => workspace?.mode)).toEqual(['worktree', 'shared', undefined]);
  });

  test('changes the hash of the definition, as do base, setup and on-conflict', async () => {
    const given = [
      ['', ''],
      ['', 'base: main'],
      ['', 'workspace: shared'],
      ['', 'setup: npm ci'],
      [', setup: npm install', ''],
      [', setup: { copy: .env }', ''],
      [', workspace: worktree', ''],
      [', on-conflict: agent', ''],
      [', workspace: directory', ''],
      [', workspace: { copy: . }', ''],
      [', workspace: { remote: box }', ''],
      [', setup: { ports: 2 }', ''],
      [', setup: { caches: .env }', ''],
      [', artifacts: dist', ''],
      [', repository-locks: dist', ''],
      ['', 'cleanup: keep'],
      ['', 'deliver: pr'],
    ];
    const hashes = await Promise.all(
      given.map(async ([own, head]) => (await parsed(flow(`  a: { ${agent}${own} }`, head))).hash),
    );
    expect(new Set(hashes).size).toBe(given.length);
  });

  test.each([
    ['  a: { run: ls, workspace: remote }', '', '4:28 Expected "worktree"'],
    ['  a: { run: ls, workspace: {} }', '', '4:28 A workspace is either a `copy` of a folder, or `remote`'],
    ['  a: { run: ls, workspace: { copy: a, remote: b } }', '', '4:28 A workspace is either a `copy`'],
    ['  a: { run: ls, workspace: { copy: 3 } }', '', '4:36 Expected text, found 3.'],
    ['  a: { run: ls }', 'defaults: { workspace: { copy: 3 } }', '2:32 Expected text, found 3.'],
    ['  a: { run: ls, workspace: { machine: b } }', '', '4:30 There is no key `machine` here.'],
    ['  a: { run: ls, workspace: { copy: ../x } }', '', '4:36 `../x` is not in the folder of the run.'],
    ['  a: { run: ls, workspace: { copy: .git } }', '', '4:36 `.git` cannot be copied'],
    ['  a: { run: ls }', 'workspace: { copy: "${{ x }}" }', '2:20 A path to copy cannot hold `${{ }}`.'],
    [
      '  a: { run: ls }',
      'defaults: { workspace: { remote: -x } }',
      '2:34 `-x` cannot be the name of a machine',
    ],
    ['  a: { run: ls, workspace: worktre }', '', '4:28 Expected "worktree"'],
    ['  a: { run: ls }', 'pool: 8', '2:1 There is no key `pool` here.'],
    ['  a: { run: ls }', 'cleanup: delete', '2:10 Expected "remove-when-clean-else-archive"'],
    ['  a: { run: ls, base: main }', '', '4:17 There is no key `base` here.'],
    ['  a: { run: ls, set-up: x }', '', '4:17 There is no key `set-up` here.'],
    ['  a: { function: f, workspace: shared }', '', '4:21 `workspace` is for commands and agents'],
    ['  a: { tasks: { b: { run: ls } }, setup: x }', '', '4:35 `setup` is for commands and agents'],
    ['  a: { run: ls, on-conflict: agent }', '', '4:30 Only an agent can resolve a conflict'],
    ['  a: { run: ls, on-conflict: ask }', '', '4:30 '],
    ['  a: { run: ls }', 'base: ""', '2:7 `` cannot be a branch or a commit.'],
    ['  a: { run: ls }', 'base: --force', '2:7 `--force` cannot be a branch or a commit.'],
    ['  a: { run: ls }', 'base: a..b', '2:7 `a..b` cannot be a branch or a commit.'],
    ['  a: { run: ls }', 'base: "${{ inputs.x }}"', '2:7 `base` cannot hold `${{ }}`'],
    ['  a: { run: ls }', 'base: 1234567', '2:7 '],
  ])('%s with %j is refused, with its place', async (tasks, head, expected) => {
    const found = places(await parseProblems(flow(tasks, head)));
    expect(found).toEqual([expect.stringContaining(expected)]);
    expect(found[0]).toMatch(new RegExp(`^${expected.split(' ')[0]} `));
  });

  test('is near to what was meant: names of keys and modes are suggested', async () => {
    const remedies = async (tasks: string) => (await parseProblems(flow(tasks))).map(({ remedy }) => remedy);
    expect(await remedies('  a: { run: ls, set-up: x }')).toEqual(['Did you mean `setup`?']);
    expect(await remedies('  a: { run: ls, workspace: worktre }')).toEqual(['Did you mean `worktree`?']);
    expect(await remedies('  a: { run: ls, base: main }')).toEqual([
      'Only a workflow as a whole has a `base`: put it at the top of the file.',
    ]);
  });

  test('is not said twice: a base of a workflow that is used from another one counts only by itself', async () => {
    const { suggestions } = await parse(flow('  a: { uses: child.yaml }'), {
      'child.yaml': flow('  b: { run: ls }', 'base: main'),
    });
    expect(messages(suggestions)).toEqual(['`base` of `w` counts only where that is run by itself.']);
  });
});

describe('on-conflict', () => {
  test('reaches agents, and from the defaults only them if it asks for one', async () => {
    const { tasks } = await parsed(
      flow(
        `  a: { ${agent} }\n  b: { run: ls }\n  c: { run: ls, on-conflict: hold }`,
        'defaults: { on-conflict: agent }',
      ),
    );
    expect(tasks.map(({ onConflict }) => onConflict)).toEqual(['agent', undefined, 'hold']);
  });
});

describe('a setup', () => {
  test('is a command, or what is to be copied and run', async () => {
    expect((await last(`  a: { ${agent}, setup: npm ci }`)).setup).toEqual({
      copy: [],
      work: { ...command, run: 'npm ci' },
    });
    expect(
      (await last(`  a: { run: ls, setup: { copy: [.env, config/local], run: [npm, ci] } }`)).setup,
    ).toEqual({ copy: ['.env', 'config/local'], work: { ...command, run: ['npm', 'ci'] } });
    expect((await last(`  a: { run: ls, setup: { copy: .env } }`)).setup).toEqual({ copy: ['.env'] });
  });

  test('has the shell, environment and secrets of its task, but runs at the top of its place', async () => {
    const given = `env: { MODE: x }, secrets: TOKEN, shell: bash, working-directory: ui, setup: npm ci`;
    for (const work of ['run: ls', agent]) {
      expect((await last(`  a: { ${work}, ${given} }`, 'env: { ALL: 1 }')).setup!.work).toEqual({
        ...command,
        run: 'npm ci',
        shell: 'bash',
        env: { ALL: 1, MODE: 'x' },
        secrets: ['TOKEN'],
      });
    }
  });

  test('holds expressions as quoted variables, of which the task is known to read', async () => {
    const each = await last(
      `  one-list: { run: ls }
  a:
    needs: one-list
    for-each: { in: [x], as: one-part }
    run: make \${{ one-part }} \${{ inputs.mode }}
    setup: make prepare-\${{ one-part }} FROM=\${{ tasks.one-list.output }}`,
      'inputs: { mode: string }',
    );
    expect(each.reads).toEqual(['one-list']);
    expect(each.setup!.work).toEqual({
      ...command,
      run: 'make prepare-"${PITON_VALUE_1}" FROM="${PITON_VALUE_2}"',
      env: { PITON_VALUE_1: '${{ one_part }}', PITON_VALUE_2: '${{ tasks["one-list"].output }}' },
    });
  });

  test('of the file or the defaults is that of all its commands and agents, inner ones too, unless they say otherwise', async () => {
    const tasks = `  own: { run: ls, setup: make own }
  none: { run: ls, setup: false }
  shared: { run: ls, workspace: shared }
  function: { function: f }
  group: { tasks: { inner: { ${agent} } } }
  last: { run: ls }`;
    const runs = ({ tasks: specs }: Workflow): unknown[] =>
      specs.map(({ setup, work }) =>
        work.type === 'workflow' ? runs(work.workflow) : (setup?.work?.run ?? null),
      );
    const told = ['make own', null, null, null, ['npm ci'], 'npm ci'];
    expect(runs(await parsed(flow(tasks, 'setup: npm ci')))).toEqual(told);
    expect(runs(await parsed(flow(tasks, 'setup: npm i\ndefaults: { setup: npm ci }')))).toEqual(told);
    expect((await parse(flow(tasks, 'setup: npm ci'))).suggestions).toEqual([]);
  });

  test('that would never be done is told, once, where it stands', async () => {
    const told = async (tasks: string, head = '') => {
      const { suggestions } = await parse(flow(tasks, head));
      return places(suggestions);
    };
    const message = 'A setup is done in places of their own, and by `workspace: shared` there is none.';
    expect(await told('  a: { run: ls, workspace: shared, setup: x }')).toEqual([`4:43 ${message}`]);
    expect(await told('  a: { run: ls }\n  b: { run: ls }', 'workspace: shared\nsetup: npm ci')).toEqual([
      `3:8 ${message}`,
    ]);
    expect(await told('  a: { run: ls, setup: x }', 'workspace: worktree')).toEqual([]);
  });

  test('of the file that is wrong is told once, at its place', async () => {
    const tasks = '  a: { run: ls }\n  b: { run: ls }';
    expect(places(await parseProblems(flow(tasks, 'setup: make ${{ inputs.mod }}')))).toEqual([
      expect.stringMatching(/^2:24 /),
    ]);
    expect(places(await parseProblems(flow(tasks, 'setup: { copy: [.env, ../x] }')))).toEqual([
      '2:23 `../x` is not in the folder of the run.',
    ]);
  });

  test.each([
    [
      'setup: git push',
      'A setup is done again for every place, and this one cannot be taken back: it pushes commits.',
    ],
    ['setup: { run: [npm, publish] }', 'this one cannot be taken back: it publishes a package.'],
    ['setup: " "', 'There is no command here.'],
    ['setup: {}', 'This setup does nothing.'],
    ['setup: { caches: [] }', 'This setup does nothing.'],
    ['setup: { ports: 0 }', '`ports` must be a whole number from 1 to 100; it is 0.'],
    ['setup: { ports: 101, run: x }', '`ports` must be a whole number from 1 to 100; it is 101.'],
    ['setup: { ports: 1.5 }', '`ports` must be a whole number from 1 to 100; it is 1.5.'],
    ['setup: { ports: many }', 'Expected a number, found "many".'],
    ['setup: { caches: /tmp/x }', '`/tmp/x` is not in the folder of the run.'],
    ['setup: { caches: "*" }', '`*` is a pattern, and patterns cannot be shared yet.'],
    ['setup: { caches: .x, copy: .x }', '`.x` is copied too: then each place has one of its own'],
    ['setup: { copy: [] }', 'This setup does nothing.'],
    ['setup: { copies: [.env] }', 'There is no key `copies` here.'],
    ['setup: 3', 'Expected false, text or a mapping, found 3.'],
    ['setup: { copy: /etc/passwd }', '`/etc/passwd` is not in the folder of the run.'],
    ['setup: { copy: ~/.npmrc }', '`~/.npmrc` is not in the folder of the run.'],
    ['setup: { copy: a/../../b }', '`a/../../b` is not in the folder of the run.'],
    ["setup: { copy: 'C:\\x' }", '`C:\\x` is not in the folder of the run.'],
    ['setup: { copy: . }', '`.` is the folder of the run itself.'],
    ['setup: { copy: "" }', 'There is no path here.'],
    ['setup: { copy: .git/hooks }', '`.git/hooks` cannot be copied: worktrees depend on it.'],
    ['setup: { copy: ./.piton/ }', '`./.piton/` cannot be copied: worktrees depend on it.'],
    ['setup: { copy: "*.env" }', '`*.env` is a pattern, and patterns cannot be copied yet.'],
    ['setup: { copy: "${{ inputs.x }}" }', 'A path to copy cannot hold `${{ }}`.'],
    ['setup: { copy: [.env, .env] }', '`.env` is named twice.'],
    ['shell: bash -u, setup: make', '`bash -u` is not the name or path of a shell.'],
    ['shell: bash, setup: { run: [make] }', 'A list of a program and its arguments is seen by no shell.'],
  ])('%s is refused', async (given, expected) => {
    expect(messages(await parseProblems(flow(`  a: { ${agent}, ${given} }`)))).toEqual([
      expect.stringContaining(expected),
    ]);
  });
});

describe('the builders', () => {
  const settings = { workspace: 'worktree', base: 'main', setup: { run: 'npm ci', copy: ['.env'] } } as const;

  test('of a workflow take the same', () => {
    const { workflow: built } = begin('w', settings)
      .agent('a', { agent: 'claude', shell: 'bash', onConflict: 'agent' }, 'Go.')
      .command('b', { setup: 'make', env: { X: '1' }, onConflict: 'hold' }, 'ls')
      .command('c', { setup: false }, 'ls')
      .command('d', { workspace: 'shared' }, 'ls')
      .task('e', () => 1);
    expect(built).toMatchObject({ workspace: { mode: 'worktree' }, base: 'main' });
    expect(built).not.toHaveProperty('setup');
    const [a, b, c, d, e] = built.tasks;
    expect(a).toMatchObject({
      onConflict: 'agent',
      setup: { copy: ['.env'], work: { ...command, run: 'npm ci', shell: 'bash' } },
    });
    expect(b).toMatchObject({
      onConflict: 'hold',
      setup: { copy: [], work: { ...command, run: 'make', env: { X: '1' } } },
    });
    expect(d!.workspace).toEqual({ mode: 'shared' });
    for (const spec of [c, d, e]) expect(spec).not.toHaveProperty('setup');
  });

  test('of a graph take the same, and nested definitions stay what they are', () => {
    const graph = stateGraph<{ x: string }>('g', { ...settings, state: { x: '' } })
      .command('a', { setup: 'make ${{ state.x }}' }, 'ls ${{ state.x }} ${{ run.id }}')
      .agent('b', { agent: 'claude', workspace: 'shared' }, 'Go.')
      .edge('a', 'b')
      .edge('b', 'end');
    expect(graph.workflow).toMatchObject({
      workspace: { mode: 'worktree' },
      base: 'main',
      tasks: [{ setup: { work: { run: 'make "${PITON_VALUE_1}"' } } }, { workspace: { mode: 'shared' } }],
    });
    const { work } = begin('outer').task('g', {}, graph).workflow.tasks[0]!;
    expect((work as { workflow: Workflow }).workflow.hash).toBe(graph.workflow.hash);
  });

  test('are told what is wrong in words of their own', () => {
    expect(messages(refusal(() => begin('w', { setup: 'git push' }).command('a', 'ls').workflow))).toEqual([
      expect.stringContaining('this one cannot be taken back'),
    ]);
    const odd = task('f', { workspace: { mode: 'shared' }, onConflict: 'hold', setup: { copy: ['.env'] } });
    expect(messages(refusal(() => workflow([odd])))).toEqual(
      ['workspace', 'setup', 'onConflict'].map(
        (key) => `\`${key}\` is for commands and agents: only they have a place of their own.`,
      ),
    );
  });
});
