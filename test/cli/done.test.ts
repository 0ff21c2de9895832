/** A person says that a task was done, whose end nobody saw. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attemptMarker } from '../../src/base/index.ts';
import { projectInRepository } from '../support/git-project.ts';
import { newProject, type Project } from './command-line.ts';

const schema = { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] };
/** Its wrapper is killed: whether it took effect, nobody knows. */
const vanishes = { run: 'echo deploy >> ran; echo "uploaded"; kill -9 $PPID', 'on-interrupt': 'ask' };

function writeTasks(project: Project, tasks: object): void {
  project.write('.piton/workflows/flow.yaml', JSON.stringify({ name: 'flow', tasks }));
}

function ranIn({ folder }: Project): string[] {
  const file = join(folder, 'ran');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

async function held(more: object = {}): Promise<Project> {
  const project = newProject();
  writeTasks(project, {
    deploy: { ...vanishes, ...more },
    tell: { needs: ['deploy'], run: 'echo tell >> ran' },
    report: { needs: ['tell'], run: 'echo report >> ran' },
    clean: { needs: ['deploy'], if: 'always()', run: 'echo clean >> ran' },
  });
  expect((await project.piton(['run', 'flow', '--id', 'r'])).code).toBe(3);
  return project;
}

test('the inbox says what each choice does, and what else skipping skips', async () => {
  const { json, piton } = await held();
  const actions = [
    ['logs', 'see what it did', 'piton logs r deploy'],
    ['retry', 'it did not happen: run it again', 'piton retry r deploy'],
    [
      'done',
      expect.stringMatching(/^it did happen: count it as succeeded/),
      "piton done r deploy -m 'it took effect'",
    ],
    ['skip', 'go on without it, and without what needs it: tell, report', 'piton skip r deploy'],
  ];
  expect(await json(['inbox'])).toMatchObject([
    { task: 'deploy', actions: actions.map(([action, effect, command]) => ({ action, effect, command })) },
  ]);
  expect((await piton(['status', 'r'])).stdout).toMatch(/Next: piton logs r deploy\n {2}or: piton inbox\n$/);
  expect((await piton(['logs', 'r', 'deploy'])).stdout).toContain('uploaded');
  expect((await piton(['show', 'r', 'deploy'])).stdout).toContain(
    "or: piton done r deploy -m 'it took effect'",
  );
});

test('done goes on without running it again; history tells who said so, and why', async () => {
  const project = await held();
  const { piton, json } = project;
  expect(await piton(['done', 'r', 'deploy', '-m', 'the site shows 1.4'])).toMatchObject({ code: 0 });
  expect(ranIn(project).sort()).toEqual(['clean', 'deploy', 'report', 'tell']);
  expect((await piton(['history', 'r'])).stdout).toMatch(
    /✓ deploy was marked as done: the site shows 1\.4, by \S+@/,
  );
  expect(await json(['show', 'r', 'deploy'])).toMatchObject({
    status: 'succeeded',
    decisions: [{ decision: 'done', comment: 'the site shows 1.4', by: { pid: process.pid } }],
  });
  expect((await piton(['show', 'r', 'deploy'])).stdout).toMatch(
    /decided: marked as done at .* by \S+@.*: the site shows 1\.4/,
  );
  expect(await piton(['done', 'r', 'deploy', '-m', 'again'])).toMatchObject({ code: 4 });
  const again = await piton(['retry', 'r', 'deploy']);
  expect(again.stderr).toContain(': piton retry r deploy --redo\n');
});

test('the output that it would have given fits its schema, or is refused', async () => {
  const { piton, json, write } = await held({ output: schema });
  const done = ['done', 'r', 'deploy', '-m', 'seen'];
  for (const [more, code, text] of [
    [[], 4, /deploy has to give an output, and none was given \(--output\)/],
    [['--output', '{"url": 3}'], 4, /does not fit its schema/],
    [['--output', 'no json'], 2, /--output is no JSON/],
    [['--output', '@missing.json'], 2, /missing\.json/],
  ] as const)
    expect(await piton([...done, ...more])).toMatchObject({ code, stderr: expect.stringMatching(text) });
  expect(await json(['status', 'r'])).toMatchObject({ tasks: { deploy: { status: 'held' } } });
  write('result.json', '{"url": "https://example.com"}');
  expect((await piton([...done, '--output', '@result.json'])).code).toBe(0);
  expect(await json(['status', 'r'])).toMatchObject({
    status: 'succeeded',
    tasks: { deploy: { output: { url: 'https://example.com' } } },
  });
});

test('it must be said why', async () => {
  const { piton } = await held();
  for (const more of [[], ['-m', ' ']])
    expect(await piton(['done', 'r', 'deploy', ...more])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("piton done r deploy -m 'it took effect'\n"),
    });
});

test('with --no-drive it waits for whoever resumes the run', async () => {
  const { piton, json } = await held();
  expect((await piton(['done', 'r', 'deploy', '-m', 'seen', '--no-drive'])).code).toBe(0);
  expect(await json(['status', 'r'])).toMatchObject({ queued: [{ action: 'done', task: 'deploy' }] });
  expect((await piton(['resume', 'r'])).code).toBe(0);
});

test('a task cannot say it of itself', async () => {
  const project = await held();
  const inside = { [`${attemptMarker}x`]: '1' };
  expect(await project.piton(['done', 'r', 'deploy', '-m', 'me'], { env: inside })).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('INSIDE_ATTEMPT'),
  });
});

test('a task that failed on its last line, but did its work, counts as done also when the run has ended', async () => {
  const project = newProject();
  writeTasks(project, {
    deploy: { run: 'echo deploy >> ran; exit 1', 'on-interrupt': 'ask' },
    tell: { needs: ['deploy'], run: 'echo tell ${{ needs.deploy.output }} >> ran' },
  });
  const ended = await project.piton(['run', 'flow', '--id', 'r']);
  expect(ended.stdout).toMatch(/ {2}or: piton done r deploy -m 'it took effect'\n$/);
  expect(await project.piton(['done', 'r', 'deploy', '-m', 'seen', '--output', '"1.4"'])).toMatchObject({
    code: 0,
  });
  expect(ranIn(project)).toEqual(['deploy', 'tell 1.4']);
});

test.each([
  ['interrupted', 'kill -9 $PPID', 3],
  ['failed', 'exit 1', 1],
])(
  'what is in the place of a task that %s is checked and merged, and nothing of it is lost',
  async (_, end, code) => {
    const project = projectInRepository();
    const run = `echo made > made.txt; ${end}`;
    project.write(
      '.piton/workflows/flow.yaml',
      JSON.stringify({
        name: 'flow',
        workspace: 'worktree',
        tasks: { make: { run, 'on-interrupt': 'ask' }, use: { needs: ['make'], run: 'cat made.txt' } },
      }),
    );
    expect((await project.piton(['run', 'flow', '--id', 'r'])).code).toBe(code);
    expect(await project.piton(['done', 'r', 'make', '-m', 'it is all there'])).toMatchObject({ code: 0 });
    expect((await project.piton(['logs', 'r', 'use'])).stdout).toContain('made');
    expect((await project.piton(['diff', 'r'])).stdout).toMatch(/made\.txt \| 1 \+/);
  },
);

test('of a task that has succeeded, whose place is gone, it says just that', async () => {
  const project = projectInRepository();
  const tasks = {
    make: { run: 'echo made > made.txt' },
    go: { needs: ['make'], approval: 'Go?', run: 'true' },
  };
  project.write('.piton/workflows/flow.yaml', JSON.stringify({ name: 'flow', workspace: 'worktree', tasks }));
  expect((await project.piton(['run', 'flow', '--id', 'r'])).code).toBe(3);
  const { code, stdout, stderr } = await project.piton(['done', 'r', 'make', '-m', 'it is there']);
  expect([code, stdout]).toEqual([
    4,
    expect.stringContaining('refused to mark it as done: make has already'),
  ]);
  expect(stderr).toContain('Run r refuses: make has already succeeded.');
});
