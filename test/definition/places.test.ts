import { describe, expect, test } from 'vitest';
import { stateGraph, workflow as begin } from '../../src/index.ts';
import { cleanupPolicies, type TaskSpec } from '../../src/model/index.ts';
import { messages, parse, parsed, parseProblems, places, refusal, task, workflow } from './support.ts';

const agent = 'agent: claude, prompt: Go.';
const flow = (tasks: string, head = ''): string => `name: w\n${head}\ntasks:\n${tasks}`;

/** The first task of a file. */
async function first(given: string, head = ''): Promise<TaskSpec> {
  return (await parsed(flow(`  a: { ${given} }`, head))).tasks[0]!;
}

describe('a workspace', () => {
  test.each([
    ['worktree', { mode: 'worktree' }],
    ['shared', { mode: 'shared' }],
    ['directory', { mode: 'directory' }],
    ['{ copy: site/pages }', { mode: 'directory', copyOf: 'site/pages' }],
    ['{ copy: . }', { mode: 'directory', copyOf: '.' }],
    ['{ copy: ./ }', { mode: 'directory', copyOf: './' }],
    ['{ remote: box-1 }', { mode: 'remote', remote: 'box-1' }],
  ])('is said as %s by the file, the defaults or a task', async (written, meant) => {
    expect((await first(`run: ls, workspace: ${written}`)).workspace).toEqual(meant);
    expect((await first('run: ls', `defaults: { workspace: ${written} }`)).workspace).toEqual(meant);
    expect(await parsed(flow('  a: { run: ls }', `workspace: ${written}`))).toMatchObject({
      workspace: meant,
    });
  });

  test('that is wrong in the defaults is told once, there', async () => {
    const tasks = '  a: { run: ls }\n  b: { run: ls }';
    expect(places(await parseProblems(flow(tasks, 'defaults: { workspace: { copy: /etc } }')))).toEqual([
      '2:32 `/etc` is not in the folder of the run.',
    ]);
  });
});

describe('a setup', () => {
  test('also gives ports and shared folders, to which no command need belong', async () => {
    expect((await first('run: ls, setup: { ports: 3, caches: [.turbo, ui/.cache] }')).setup).toEqual({
      copy: [],
      ports: 3,
      caches: ['.turbo', 'ui/.cache'],
    });
    expect((await first(`${agent}, setup: { ports: 1, run: make }`)).setup).toMatchObject({
      ports: 1,
      work: { run: 'make' },
    });
  });

  test('gives them on this machine only', async () => {
    const given =
      'run: ls, workspace: { remote: box }, setup: { ports: 1, caches: .x, copy: .env }, for-each: { in: [1] }, pool: 2, artifacts: dist';
    expect(messages(await parseProblems(flow(`  a: { ${given} }`))).sort()).toEqual(
      ['artifacts', 'caches', 'pool', 'ports'].map(
        (key) => `\`${key}\` is for places on this machine only, and this task works on \`box\`.`,
      ),
    );
    const ofFile = flow('  a: { run: ls, setup: { ports: 1 } }', 'workspace: { remote: box }');
    expect(places(await parseProblems(ofFile))).toEqual([
      expect.stringMatching(/^4:26 `ports` is for places/),
    ]);
  });
});

describe('a pool', () => {
  const each = 'for-each: { in: [1, 2] }';

  test('is a number of places for the items of a command or an agent', async () => {
    expect((await first(`run: ls, ${each}, pool: 8`)).pool).toBe(8);
    expect((await first(`${agent}, ${each}, pool: 1, workspace: directory`)).pool).toBe(1);
  });

  test.each([
    [`run: ls, pool: 8`, '4:17 `pool` is shared by the items of a `for-each`, and this task has none.'],
    [
      `run: ls, ${each}, pool: 8, workspace: shared`,
      '4:43 A `pool` consists of places, and by `workspace: shared` there is none.',
    ],
    [`function: f, ${each}, pool: 8`, '4:47 `pool` is for commands and agents'],
    [`tasks: { b: { run: ls } }, ${each}, pool: 8`, '4:61 `pool` is for commands and agents'],
    [`run: ls, ${each}, pool: 0`, '4:49 `pool` must be a whole number of at least 1; it is 0.'],
    [`run: ls, ${each}, pool: 2.5`, '4:49 `pool` must be a whole number of at least 1; it is 2.5.'],
    [`run: ls, ${each}, pool: all`, '4:49 Expected a number, found "all".'],
  ])('%s is refused', async (given, expected) => {
    const found = places(await parseProblems(flow(`  a: { ${given} }`)));
    expect(found).toEqual([expect.stringContaining(expected)]);
  });

  test('cannot be had where the whole workflow shares one folder', async () => {
    const text = flow(`  a: { run: ls, ${each}, pool: 2 }`, 'workspace: shared');
    expect(places(await parseProblems(text))).toEqual([expect.stringMatching(/^4:43 A `pool` consists/)]);
  });

  test('in the wrong place leads to where it belongs', async () => {
    const problems = await parseProblems(flow('  a: { run: ls }', 'defaults: { pool: 8 }'));
    expect(problems).toMatchObject([{ remedy: 'Put it on the task that has the `for-each`.' }]);
  });
});

describe('artifacts', () => {
  test('are files or folders that a command or an agent leaves, also in the folder of the run', async () => {
    expect((await first('run: make, artifacts: dist')).artifacts).toEqual(['dist']);
    expect((await first(`${agent}, artifacts: [dist, out/a.js], workspace: shared`)).artifacts).toEqual([
      'dist',
      'out/a.js',
    ]);
    for (const none of ['run: make', 'run: make, artifacts: []'])
      expect(await first(none)).not.toHaveProperty('artifacts');
  });

  test.each([
    ['run: ls, artifacts: ../dist', '4:28 `../dist` is not in the folder of the run.'],
    ['run: ls, artifacts: [a, /dist]', '4:32 `/dist` is not in the folder of the run.'],
    ['run: ls, artifacts: "dist/*"', '4:28 `dist/*` is a pattern, and patterns cannot be kept yet.'],
    ['run: ls, artifacts: .', '4:28 `.` is the folder of the run itself.'],
    ['run: ls, artifacts: .git', '4:28 `.git` cannot be kept: worktrees depend on it.'],
    ['run: ls, artifacts: [a, a]', '4:32 `a` is named twice.'],
    ['run: ls, artifacts: "${{ inputs.x }}"', '4:28 A path to keep cannot hold `${{ }}`.'],
    ['function: f, artifacts: a', '4:21 `artifacts` is for commands and agents'],
    ['uses: b.yaml, artifacts: a', '4:22 `artifacts` is for commands and agents'],
  ])('%s is refused', async (given, expected) => {
    const files = { 'b.yaml': flow('  b: { run: ls }') };
    const found = places(await parseProblems(flow(`  a: { ${given} }`), files));
    expect(found).toEqual([expect.stringContaining(expected)]);
  });
});

describe('repository-locks', () => {
  test('are names, of any task that has attempts', async () => {
    expect((await first('run: ls, repository-locks: db')).repositoryLocks).toEqual(['db']);
    expect((await first('function: f, repository-locks: [db, port 80]')).repositoryLocks).toEqual([
      'db',
      'port 80',
    ]);
    expect(await first('run: ls')).not.toHaveProperty('repositoryLocks');
  });

  test.each([
    ['run: ls, repository-locks: ""', '4:35 "" cannot be the name of a lock.'],
    ['run: ls, repository-locks: [a, a]', '4:39 `a` is named twice.'],
    ['run: ls, repository-locks: "${{ inputs.x }}"', '4:35 The name of a lock cannot hold `${{ }}`.'],
    [
      'tasks: { b: { run: ls } }, repository-locks: a',
      '4:35 `repository-locks` are held while an attempt runs',
    ],
  ])('%s is refused', async (given, expected) => {
    const found = places(await parseProblems(flow(`  a: { ${given} }`)));
    expect(found).toEqual([expect.stringContaining(expected)]);
  });
});

describe('cleanup', () => {
  test.each(cleanupPolicies)('is %s', async (policy) => {
    expect(await parsed(flow('  a: { run: ls }', `cleanup: ${policy}`))).toMatchObject({ cleanup: policy });
  });

  test('is said by nobody else, and counts only for runs of the workflow itself', async () => {
    expect(await parsed(flow('  a: { run: ls }'))).not.toHaveProperty('cleanup');
    expect(await parseProblems(flow('  a: { run: ls, cleanup: keep }'))).toMatchObject([
      { remedy: 'Only a workflow as a whole has a `cleanup`: put it at the top of the file.' },
    ]);
    const { suggestions } = await parse(flow('  a: { uses: child.yaml }'), {
      'child.yaml': flow('  b: { run: ls }', 'cleanup: keep'),
    });
    expect(messages(suggestions)).toEqual(['`cleanup` of `w` counts only where that is run by itself.']);
  });
});

describe('the builders', () => {
  test('take the same', () => {
    const { workflow: built } = begin('w', { workspace: 'directory', cleanup: 'keep' })
      .command('a', { workspace: { copy: 'site' }, artifacts: ['dist'], repositoryLocks: ['db'] }, 'ls')
      .agent(
        'b',
        {
          agent: 'claude',
          workspace: { remote: 'box' },
        },
        'Go.',
      )
      .command('c', { setup: { ports: 2, caches: ['.x'] }, forEach: { in: () => [1, 2] }, pool: 2 }, 'ls')
      .task('d', { repositoryLocks: ['db'] }, () => 1);
    expect(built).toMatchObject({ workspace: { mode: 'directory' }, cleanup: 'keep' });
    const [a, b, c, d] = built.tasks;
    expect(a).toMatchObject({
      workspace: { mode: 'directory', copyOf: 'site' },
      artifacts: ['dist'],
      repositoryLocks: ['db'],
    });
    expect(b).toMatchObject({ workspace: { mode: 'remote', remote: 'box' } });
    expect(c).toMatchObject({ pool: 2 });
    expect(c!.setup).toEqual({ copy: [], ports: 2, caches: ['.x'] });
    expect(d!.repositoryLocks).toEqual(['db']);
    expect(Object.isFrozen(a!.artifacts)).toBe(true);
  });

  test('of a graph take the same', () => {
    const graph = stateGraph<object>('g', { workspace: { copy: '.' }, cleanup: 'archive' })
      .command('a', { artifacts: ['dist'], setup: { ports: 1 } }, 'ls')
      .edge('a', 'end');
    expect(graph.workflow).toMatchObject({
      workspace: { mode: 'directory', copyOf: '.' },
      cleanup: 'archive',
      tasks: [{ artifacts: ['dist'], setup: { ports: 1 } }],
    });
    expect(begin('outer').task('g', {}, graph).workflow.tasks[0]!.work).toMatchObject({
      workflow: { hash: graph.workflow.hash },
    });
  });

  test('are told what is wrong in the same words', () => {
    const odd = task('f', { artifacts: ['a'], pool: 2 });
    expect(messages(refusal(() => workflow([odd])))).toEqual(
      ['artifacts', 'pool'].map(
        (key) => `\`${key}\` is for commands and agents: only they have a place of their own.`,
      ),
    );
    const lone = begin('w').command('a', { pool: 2 }, 'ls');
    expect(messages(refusal(() => lone.workflow))).toEqual([
      '`pool` is shared by the items of a `forEach`, and this task has none.',
    ]);
  });
});
