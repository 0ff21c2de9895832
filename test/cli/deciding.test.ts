import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import type { Definition } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { newProject, type Project } from './command-line.ts';
import { played, writeFlow } from './played.ts';
import { releaseFile } from './workflows-of-tests.ts';

/** A run that waits for its approval, and that nobody drives. */
async function waiting(id = 'rel'): Promise<Project> {
  const project = newProject();
  const file = project.write('.piton/workflows/release.mjs', releaseFile);
  const { default: definition } = (await import(pathToFileURL(file).href)) as { default: Definition };
  await project.withStore(async (piton) => {
    const run = await piton.start(definition, { id, origin: { directory: project.folder, file } } as never);
    await eventually('it waits for approval', async () => (await run.status()) === 'held');
  });
  return project;
}

test('the inbox has all that waits for a person, with the commands to type', async () => {
  const { piton, json } = await waiting();
  expect(await json(['inbox'])).toEqual([
    {
      run: 'rel',
      workflow: 'release',
      task: 'publish',
      since: expect.any(Number),
      reason: expect.stringContaining('Release it?'),
      gate: expect.any(String),
      version: expect.any(Number),
      actions: [
        { action: 'approve', effect: 'agree to it', command: 'piton approve rel publish' },
        { action: 'reject', effect: 'refuse it; the task fails', command: 'piton reject rel publish' },
        {
          action: 'skip',
          effect: 'go on without it, and without what needs it: tell',
          command: 'piton skip rel publish',
        },
      ],
    },
  ]);
  const { stdout } = await piton(['inbox']);
  expect(stdout).toContain('Release it?');
  expect(stdout).toMatch(/Next: piton approve rel publish\n$/);
  expect((await piton([])).stdout).toContain('Next: piton inbox');
  expect(await json(['status'])).toMatchObject({
    status: 'held',
    tasks: { publish: { status: 'held', reason: expect.any(String), actions: expect.any(Array) } },
  });
});

test('approving shows what was done, goes on with the run where nobody drives it, and decides once', async () => {
  const { piton, json } = await waiting();
  const approved = await piton(['approve', 'rel', 'publish', '-m', 'checked']);
  expect(approved.stdout).toMatch(
    /Done so far:\n +greet +✓ succeeded +hello red\n +count .*\n\n\? .*Release it\?/,
  );
  expect(approved).toMatchObject({ code: 0 });
  const [, took] = /succeeded \((.+)\)/.exec(approved.stdout)!;
  expect((await piton(['status'])).stdout).toContain(`, took ${took}\n`);
  expect(await json(['status'])).toMatchObject({
    status: 'succeeded',
    tasks: { publish: { status: 'succeeded' }, tell: { status: 'succeeded' } },
  });
  const again = await piton(['approve', 'rel', 'publish']);
  expect(again).toMatchObject({ code: 4, stderr: expect.stringContaining('COMMAND_REFUSED') });
});

test('a run that is driven elsewhere takes the decision there, and is left to its driver', async () => {
  const { piton, withStore, json } = await waiting();
  await withStore(async (store) => {
    const { definition } = await store.definitionOf('rel');
    const functions = Object.fromEntries(
      ['greet', 'count', 'publish', 'tell'].map((name) => [name, () => `${name} is done`]),
    );
    const run = await store.resume({ ...definition, functions } as Definition, 'rel');
    expect(await json(['status'])).toMatchObject({ driver: { alive: true, pid: process.pid } });
    const approved = await piton(['approve', 'rel', 'publish']);
    expect(approved).toMatchObject({ code: 0, stdout: expect.stringMatching(/Next: piton attach rel\n$/) });
    expect(await run.result()).toMatchObject({ status: 'succeeded' });
  });
});

test('rejecting fails the task with the comment as its reason', async () => {
  const { piton, json } = await waiting();
  expect(await piton(['reject', 'rel', 'publish', '-m', 'tests are red'])).toMatchObject({ code: 1 });
  expect(await json(['status'])).toMatchObject({
    status: 'failed',
    tasks: {
      publish: { status: 'failed', error: { message: expect.stringContaining('tests are red') } },
      tell: { status: 'skipped' },
    },
  });
});

test('with --no-drive a decision waits for whoever resumes the run', async () => {
  const { piton, json } = await waiting();
  const queued = await piton(['approve', 'rel', 'publish', '--no-drive']);
  expect(queued).toMatchObject({ code: 0, stdout: expect.stringMatching(/Next: piton resume rel\n$/) });
  const decision = { action: 'approve', task: 'publish', by: { pid: expect.any(Number) } };
  expect(await json(['status'])).toMatchObject({
    tasks: { publish: { status: 'held' } },
    queued: [decision],
    next: 'piton resume rel',
  });
  expect((await piton(['status'])).stdout).toMatch(
    /has no effect .*: approve publish\n[^]*Next: piton resume rel\n$/,
  );
  expect(await json(['inbox'])).toMatchObject([
    { queued: [decision], actions: [{ command: 'piton resume rel' }, {}, {}, {}] },
  ]);
  expect((await piton(['inbox'])).stdout).toMatch(/Next: piton resume rel\n$/);
  expect(await piton(['resume', 'rel'])).toMatchObject({ code: 0 });
  const settled = await json(['status']);
  expect(settled).toMatchObject({ status: 'succeeded' });
  expect(settled).not.toHaveProperty('queued');
});

test('a task that is skipped or waits for nothing is decided accordingly', async () => {
  const { piton, json } = await waiting();
  const unknown = await piton(['approve', 'rel', 'publsh']);
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean publish?') });
  expect(await piton(['approve', 'rel', 'tell'])).toMatchObject({ code: 4 });
  const skipped = await piton(['skip', 'rel', 'publish']);
  expect(skipped.stderr).not.toContain('error:');
  expect(await json(['status'])).toMatchObject({ tasks: { publish: { status: 'skipped' } } });
});

test('cancelling ends a run that nobody drives; then nothing more can be asked of it', async () => {
  const { piton, json } = await waiting();
  expect(await piton(['cancel', 'rel', '-m', 'wrong branch'])).toMatchObject({ code: 0 });
  expect(await json(['status'])).toMatchObject({ status: 'cancelled' });
  for (const args of [
    ['cancel', 'rel'],
    ['pause', 'rel'],
    ['skip', 'rel', 'tell'],
  ]) {
    expect(await piton(args)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('the run has ended'),
    });
  }
});

test('pausing what nobody drives changes nothing and says so', async () => {
  const { piton } = await waiting();
  const { code, stdout } = await piton(['pause', 'rel']);
  expect(code).toBe(0);
  expect(stdout).toContain('nobody drives it');
});

test('retry does a failed task of an ended run again, and what needs it', async () => {
  const { piton, json, write, folder } = await waiting();
  const flag = join(folder, 'mended');
  const file = write(
    '.piton/workflows/flaky.mjs',
    releaseFile.replace(/export default[\s\S]*/, '').concat(
      `import { existsSync } from 'node:fs';
export default workflow('flaky')
  .task('once', () => 1)
  .task('test', { needs: ['once'] }, () => { if (!existsSync(${JSON.stringify(flag)})) throw new Error('red'); return 'green'; })
  .task('after', { needs: ['test'] }, () => 'done');
`,
    ),
  );
  expect(await piton(['run', 'flaky', '--id', 'flaky'])).toMatchObject({ code: 1 });
  write('mended', '');
  expect(await piton(['retry', 'flaky', '--no-drive'])).toMatchObject({ code: 2, stdout: '' });
  expect(await json(['status', 'flaky'])).toMatchObject({ status: 'failed' });
  expect(await piton(['retry', 'flaky'])).toMatchObject({ code: 0 });
  expect(await json(['status', 'flaky'])).toMatchObject({
    status: 'succeeded',
    tasks: { once: { attempts: 1 }, test: { output: 'green' }, after: { output: 'done' } },
  });
  expect((await piton(['retry', 'flaky'])).stderr).toContain('No task of run flaky is held or has failed');
  expect(await json(['drift', 'flaky'])).toMatchObject({ run: 'flaky', file, drift: [] });
});

test('skip gives up what has failed for good in a run that has ended, and does the rest', async () => {
  const { piton, json, write, folder } = newProject();
  const ledger = join(folder, 'ledger');
  const migrate = {
    'for-each': { in: ['a', 'b', 'c'], 'max-parallel': 1 },
    run: `echo \${{ item }} >> ${ledger}; test \${{ item }} != b`,
  };
  write('.piton/workflows/migrate.yaml', JSON.stringify({ name: 'migrate', tasks: { migrate } }));
  expect(await piton(['run', 'migrate', '--id', 'm'])).toMatchObject({ code: 1 });
  expect(await piton(['skip', 'm', 'migrate[b]', '--no-drive'])).toMatchObject({ code: 2, stdout: '' });
  expect(await piton(['skip', 'm', 'migrate[a]'])).toMatchObject({ code: 4 });

  expect(await piton(['skip', 'm', 'migrate[b]'])).toMatchObject({ code: 0 });
  expect(readFileSync(ledger, 'utf8')).toBe('a\nb\nc\n');
  expect(await json(['status', 'm'])).toMatchObject({
    status: 'succeeded',
    tasks: { 'migrate[b]': { status: 'skipped' }, 'migrate[c]': { status: 'succeeded' } },
  });
});

test.each([
  ['changed', { stuck: { run: 'exit 2' } }, 'skipped'],
  ['taken out', {}, undefined],
])('skip gives up a task that was %s in the file since it failed', async (_, changed, status) => {
  const { piton, json, write } = newProject();
  const file = (tasks: object): string => JSON.stringify({ name: 'f', 'fail-fast': false, tasks });
  const done = { done: { run: 'echo done' } };
  write('.piton/workflows/f.yaml', file({ stuck: { run: 'exit 1' }, ...done }));
  expect(await piton(['run', 'f', '--id', 'f'])).toMatchObject({ code: 1 });
  write('.piton/workflows/f.yaml', file({ ...changed, ...done }));
  expect(await piton(['skip', 'f', 'stuck'])).toMatchObject({ code: 0 });
  const { tasks } = (await json(['status', 'f'])) as { tasks: Record<string, { status: string }> };
  expect([tasks['stuck']?.status, tasks['done']?.status]).toEqual([status, 'succeeded']);
});

test('retry without a task does only what has failed, and what it stopped: nothing that has succeeded, however deep', async () => {
  const { piton, write, folder } = newProject();
  const ledger = join(folder, 'ledger');
  const done = (what: string): string => `echo ${what} >> ${ledger}`;
  const tasks = {
    lint: { run: `${done('lint')}; false`, 'continue-on-error': true },
    build: { needs: 'lint', run: done('build') },
    inner: { needs: 'build', tasks: { one: { run: done('one') }, two: { needs: 'one', run: 'false' } } },
    each: { needs: 'build', 'for-each': { in: ['a', 'b'] }, run: `test \${{ item }} = a && ${done('each')}` },
  };
  write('.piton/workflows/deep.yaml', JSON.stringify({ name: 'deep', 'fail-fast': false, tasks }));
  const failed = await piton(['run', 'deep', '--id', 'deep']);
  expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining('or: piton retry deep\n') });
  const before = readFileSync(ledger, 'utf8');
  expect(before.split('\n').toSorted().join(' ').trim()).toBe('build each lint one');
  const { code, stdout } = await piton(['retry', 'deep']);
  expect({ code, retried: stdout.match(/\S+ is tried again/g)?.toSorted() }).toEqual({
    code: 1,
    retried: ['each[b] is tried again', 'inner.two is tried again'],
  });
  expect(readFileSync(ledger, 'utf8')).toBe(before);
});

test('drift tells which fields of a module differ, and which of them nobody has to decide about', async () => {
  // Modules are imported once in a process.
  const { binary, write } = await waiting();
  const drift = async (): Promise<unknown> => JSON.parse((await binary(['drift', 'rel', '--json'])).stdout);
  expect(await drift()).toMatchObject({ run: 'rel', drift: [], mustChoose: false });
  write(
    '.piton/workflows/release.mjs',
    releaseFile.replace(".task('tell', {", ".task('tell', { priority: 3,"),
  );
  expect(await drift()).toMatchObject({
    drift: [{ task: 'tell', field: 'priority', before: '0', after: '3', verdict: 'applies' }],
    mustChoose: true,
    choices: [
      { command: 'piton resume rel --keep-definition' },
      { command: 'piton resume rel --accept-drift' },
    ],
  });
  write('.piton/workflows/release.mjs', releaseFile.replace('attempts: 2', 'attempts: 3'));
  expect(await drift()).toMatchObject({
    drift: [{ task: 'count', field: 'retry', verdict: 'harmless' }],
    mustChoose: false,
    choices: [],
  });
});

test('an agent whose work is to be done again is told so, with the task', async () => {
  const project = newProject();
  writeFlow(project, { fix: played([[{ answer: 'first' }], [{ expect: 'Do it.' }, { answer: 'second' }]]) });
  expect(await project.piton(['run', 'flow', '--id', 'again'])).toMatchObject({ code: 0 });
  expect(await project.piton(['retry', 'again', 'fix', '--redo', '--yes'])).toMatchObject({ code: 0 });
  const { tasks } = (await project.json(['status', 'again'])) as { tasks: object };
  expect(tasks).toMatchObject({ fix: { output: 'second' } });
});

test('a decision that is refused when the run goes on is not said to be kept', async () => {
  const project = newProject();
  const tasks = { gate: { approval: 'Go on?', run: 'true' }, after: { needs: 'gate', run: 'true' } };
  project.write('.piton/workflows/asks.yaml', JSON.stringify({ name: 'asks', tasks }));
  expect((await project.piton(['run', 'asks', '--id', 'r1'])).code).toBe(3);
  const { code, stdout, stderr } = await project.piton(['retry', 'r1', 'after']);
  expect(code).toBe(4);
  expect(stderr).toContain('(COMMAND_REFUSED)');
  expect(stdout + stderr).not.toMatch(/noted|kept/);
});
