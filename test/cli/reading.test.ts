import { describe, expect, test } from 'vitest';
import { workflow, type Checkpoint, type Piton } from '../../src/index.ts';
import { newProject, type Project } from './command-line.ts';

const simple = workflow<{ name: string }>('simple')
  .task('greet', ({ inputs }) => `hello \u001b[31m${inputs.name}\u001b[0m`)
  .task('count', { needs: ['greet'], retry: { attempts: 2, backoff: '1ms' } }, ({ attempt }) => {
    if (attempt === 1) throw new Error('not\u0007 yet');
    return { words: 2 };
  });
const failing = workflow('failing')
  .task('break', () => {
    throw Object.assign(new Error('broken'), { code: 'BROKEN' });
  })
  .task('after', { needs: ['break'] }, () => 'never');

async function start(piton: Piton, id: string): Promise<void> {
  await (await piton.start(simple, { id, inputs: { name: 'Ada' } })).result();
}

async function withRuns(): Promise<Project> {
  const project = newProject();
  await project.withStore(async (piton) => {
    await start(piton, 'aaa-1');
    await start(piton, 'aaa-2');
    await (await piton.start(failing, { id: 'bad' })).result();
  });
  return project;
}

/** A run that was let go of in the middle: it should go on, and nobody drives it. */
async function interrupt(project: Project, id: string): Promise<void> {
  await project.withStore(async (piton) => {
    const begun = Promise.withResolvers<void>();
    const endless = workflow('endless').task('wait', ({ signal }) => {
      begun.resolve();
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    });
    await piton.start(endless, { id });
    await begun.promise;
  });
}

test('list shows the runs newest first, and filters them', async () => {
  const { piton, json } = await withRuns();
  expect(await json(['list'])).toEqual([
    {
      run: 'bad',
      workflow: 'failing',
      status: 'failed',
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
      progress: { done: 2, total: 2, percent: 100 },
      seq: expect.any(Number),
      reason: 'break failed: broken',
    },
    expect.objectContaining({ run: 'aaa-2', status: 'succeeded' }),
    expect.objectContaining({ run: 'aaa-1', status: 'succeeded' }),
  ]);
  expect(await json(['list', '--status', 'failed,cancelled'])).toMatchObject([{ run: 'bad' }]);
  expect(await json(['list', '--workflow', 'simple', '--limit', '1'])).toMatchObject([{ run: 'aaa-2' }]);
  expect(await json(['list', '--status', 'held'])).toEqual([]);
  const { stdout } = await piton(['list']);
  expect(stdout).toMatch(/^run +workflow +status +tasks +started +changed\nbad +failing +✗ failed +2\/2 /);
  expect(stdout).toMatch(/\nNext: piton status bad\n$/);
});

test('where nothing was run, list is empty and the others say what to do', async () => {
  const { piton, json } = newProject();
  expect((await piton(['history'])).stderr).toContain('There is no Piton project');
  await piton(['init']);
  expect(await json(['list'])).toEqual([]);
  expect(await piton(['list'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^No runs yet\.\nNext: /),
  });
  expect(await json(['inbox'])).toEqual([]);
});

test('a run is meant by a beginning of its id that is like no other, and without one the latest is meant', async () => {
  const { piton, json } = await withRuns();
  expect(await json(['status', 'aaa-1'])).toMatchObject({ run: 'aaa-1' });
  expect(await json(['status', 'b'])).toMatchObject({ run: 'bad' });
  expect(await json(['status'])).toMatchObject({ run: 'bad' });
  const several = await piton(['status', 'aaa', '--json']);
  expect(several).toMatchObject({ code: 2, stdout: '' });
  expect(JSON.parse(several.stderr)).toMatchObject({
    error: { code: 'RUN_AMBIGUOUS', details: { runs: ['aaa-2', 'aaa-1'] } },
  });
  for (const name of ['status', 'cancel'])
    expect(await piton([name, ''])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The id of the run is empty.'),
    });
  const none = await piton(['status', 'bat']);
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean bad?') });
});

test('status --json has the shape that programs rely on', async () => {
  const { json } = await withRuns();
  expect(await json(['status', 'bad'])).toEqual({
    run: 'bad',
    workflow: 'failing',
    status: 'failed',
    seq: 2,
    version: 7,
    createdAt: expect.any(Number),
    at: expect.any(Number),
    lastTask: 'after',
    inputs: {},
    progress: { done: 2, total: 2, percent: 100 },
    counts: expect.objectContaining({ failed: 1, skipped: 1, succeeded: 0 }),
    tasks: {
      break: {
        name: 'break',
        needs: [],
        stage: 'work',
        status: 'failed',
        attempts: 1,
        attempt: expect.any(String),
        startedAt: expect.any(Number),
        endedAt: expect.any(Number),
        error: expect.objectContaining({ code: 'BROKEN', message: 'broken' }),
      },
      after: {
        name: 'after',
        needs: ['break'],
        stage: 'work',
        status: 'skipped',
        attempts: 0,
        endedAt: expect.any(Number),
        reason: 'it needs break, which failed',
      },
    },
    reason: 'break failed: broken',
    error: {
      code: 'TASK_FAILED',
      message: 'break failed: broken',
      stack: expect.stringContaining('reading.test.ts'),
      retryable: false,
    },
    next: 'piton show bad break',
  });
  expect(await json(['status', 'aaa-1'])).toMatchObject({
    tasks: { count: { attempts: 2, output: { words: 2 } } },
  });
});

test('show and logs say where a function failed, once', async () => {
  const project = newProject();
  const charge = (): never => {
    throw new Error('declined\u001b[31m', { cause: new Error('the card has expired') });
  };
  const inner = workflow('inner').task('charge', { forEach: { in: () => ['a'] } }, charge);
  await project.withStore(async (piton) => {
    await (await piton.start(workflow('pay').task('pay', {}, inner), { id: 'pay' })).result();
  });
  const where =
    /\n {4}at charge .*reading\.test\.ts.*\nCaused by: Error: the card has expired\n {4}at charge /;
  const shown = (await project.piton(['show', 'pay', 'pay.charge[a]'])).stdout;
  expect(shown).toMatch(where);
  expect(shown).not.toContain('\u001b[31m');
  const logs = (await project.piton(['logs', 'pay', 'pay.charge[a]'])).stdout;
  expect(logs).toMatch(where);
  expect(logs).not.toContain('\u001b[31m');
  expect((await project.piton(['logs', 'pay'])).stdout.match(/Caused by/g)).toHaveLength(1);
  expect((await project.piton(['logs', 'pay', '--markdown'])).stdout).toMatch(
    /^## pay\.charge\[a\]: failed\n\n {4}Error/m,
  );
});

test('status tells programs, too, why a task is tried later', async () => {
  const project = newProject();
  await project.withStore(async (piton) => {
    const later = workflow('later').task('call', { retry: { attempts: 2, backoff: '1h' } }, () => {
      throw new Error('no answer');
    });
    const run = await piton.start(later, { id: 'later' });
    for await (const { type } of run.events()) if (type === 'task.delayed') break;
  });
  const { tasks } = (await project.json(['status', 'later'])) as { tasks: { call: { reason?: string } } };
  expect(tasks.call).toMatchObject({ status: 'delayed', until: expect.any(Number) });
  expect(tasks.call.reason).toContain('no answer');
  expect((await project.piton(['status', 'later'])).stdout).toContain(tasks.call.reason);
});

test('a run whose driver is gone is interrupted, never running, and everybody says how to go on', async () => {
  const project = await withRuns();
  await interrupt(project, 'cut');
  expect(await project.json(['status', 'cut'])).toMatchObject({
    status: 'interrupted',
    next: 'piton resume cut',
  });
  expect(await project.json(['list', '--status', 'interrupted'])).toMatchObject([{ run: 'cut' }]);
  expect(await project.json(['list', '--status', 'running'])).toEqual([]);
  expect(await project.json(['inbox'])).toMatchObject([
    { run: 'cut', actions: [{ action: 'resume', command: 'piton resume cut' }] },
  ]);
  const inbox = await project.piton(['inbox']);
  expect(inbox.stdout).toContain('the run  cut (');
  expect(inbox.stdout).toContain('Next: piton resume cut');
  const alone = await project.piton([]);
  expect(alone.stdout).toContain('Next: piton resume cut');
  expect(alone.stderr).toBe('Interrupted, and waiting to go on: cut\n');
  const { checks } = (await project.json(['doctor'])) as { checks: { name: string }[] };
  expect(checks.find(({ name }) => name === 'interrupted runs')).toEqual({
    name: 'interrupted runs',
    level: 'warn',
    text: 'cut',
    remedy: 'piton resume --all',
  });
});

test('what tasks wrote reaches no terminal with its control characters', async () => {
  const { piton } = await withRuns();
  for (const args of [
    ['status', 'aaa-1'],
    ['show', 'aaa-1'],
    ['show', 'aaa-1', 'greet'],
    ['history', 'aaa-1'],
  ]) {
    const { stdout, code } = await piton(args);
    expect(code).toBe(0);
    // eslint-disable-next-line no-control-regex
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  }
  expect((await piton(['show', 'aaa-1', 'greet'])).stdout).toContain('output: hello Ada');
});

test('history names every checkpoint and what it changed, and show goes back to one', async () => {
  const { piton, json } = await withRuns();
  const entries = (await json(['history', 'aaa-1'])) as {
    checkpoint: string;
    seq: number;
    changes: string[];
  }[];
  expect(entries.map(({ checkpoint }) => checkpoint)).toEqual(
    entries.map((_, index) => `aaa-1@${index + 1}`),
  );
  expect(entries[0]).toMatchObject({
    events: expect.arrayContaining([expect.objectContaining({ type: 'run.created' })]),
  });
  expect(entries.flatMap(({ changes }) => changes).join('\n')).toContain('greet');
  const { stdout } = await piton(['history', 'aaa-1']);
  expect(stdout).toMatch(/^checkpoint +time +since start +what changed\naaa-1@1 /);
  const first = (await json(['show', 'aaa-1@1'])) as Checkpoint;
  expect(first).toMatchObject({ checkpoint: 'aaa-1@1', seq: 1, inputs: { name: 'Ada' } });
  expect(first.tasks['greet']!.status).not.toBe('succeeded');
  const last = (await json(['show', 'aaa-1'])) as Checkpoint;
  expect(last).toMatchObject({ seq: entries.length, tasks: { count: { status: 'succeeded' } } });
  const beyond = await piton(['show', 'aaa-1@99']);
  expect(beyond).toMatchObject({ code: 2, stderr: expect.stringContaining(`1 to ${entries.length}`) });
});

test('show of a task tells every attempt, and names the nearest where there is no such task', async () => {
  const { piton, json } = await withRuns();
  expect(await json(['show', 'aaa-1', 'count'])).toMatchObject({
    task: 'count',
    needs: ['greet'],
    output: { words: 2 },
    attempts: [
      { number: 1, outcome: 'failed', startedAt: expect.any(Number), endedAt: expect.any(Number) },
      { number: 2, outcome: 'succeeded' },
    ],
  });
  const { stdout } = await piton(['show', 'bad', 'break']);
  expect(stdout).toContain('error: broken (BROKEN)');
  const unknown = await piton(['show', 'aaa-1', 'cuont']);
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('has no task cuont') });
});

test('verify finds damage with the first bad checkpoint, refuses with 4, and repairs', async () => {
  const { DatabaseSync } = await import('node:sqlite');
  const project = await withRuns();
  await interrupt(project, 'cut');
  expect(await project.json(['verify'])).toMatchObject({
    ok: true,
    runs: expect.arrayContaining([{ run: 'aaa-1', commits: expect.any(Number), ok: true, faults: [] }]),
  });
  const database = new DatabaseSync(`${project.folder}/.piton/piton.db`);
  database.exec(
    `UPDATE commits SET body = replace(body, '"wait"', '"wayt"') WHERE seq = 2 AND run_number = (SELECT number FROM runs WHERE run = 'cut')`,
  );
  database.close();
  const damaged = await project.piton(['verify', '--json']);
  expect(damaged.code).toBe(4);
  const { ok, runs } = JSON.parse(damaged.stdout) as { ok: boolean; runs: { run: string }[] };
  expect(ok).toBe(false);
  expect(runs.find(({ run }) => run === 'cut')).toMatchObject({ ok: false, commits: 1, firstBad: 2 });
  expect((await project.piton(['verify'])).stdout).toMatch(/Next: piton verify cut --repair\n$/);
  const status = await project.piton(['status', 'cut']);
  expect(status).toMatchObject({ code: 4, stderr: expect.stringContaining('RUN_DAMAGED') });
  expect(await project.piton(['doctor'])).toMatchObject({ code: 4 });
  expect(await project.json(['inbox'])).toMatchObject([
    { run: 'cut', actions: [{ action: 'repair', command: 'piton verify cut --repair' }] },
  ]);
  const repaired = await project.piton(['verify', 'cut', '--repair']);
  expect(repaired).toMatchObject({ code: 0, stdout: expect.stringContaining('cut was taken back to cut@1') });
  expect(await project.json(['verify'])).toMatchObject({ ok: true, store: [] });

  const again = new DatabaseSync(`${project.folder}/.piton/piton.db`);
  again.exec(`UPDATE runs SET created_at = 1 WHERE run = 'aaa-1'`);
  again.close();
  const row = await project.piton(['verify']);
  expect(row).toMatchObject({
    code: 4,
    stdout: expect.stringMatching(/aaa-1.*column created_at of its row is 1/),
  });
  expect(row.stdout).toMatch(/Next: piton verify aaa-1 --repair\n$/);
  const mended = await project.piton(['verify', 'aaa-1', '--repair']);
  expect(mended).toMatchObject({ code: 0, stdout: expect.stringContaining('made anew from the journal') });
  expect(await project.json(['verify'])).toMatchObject({ ok: true, store: [] });
});

describe('a run whose row is damaged hides no others', () => {
  async function withDamage(): Promise<Project> {
    const { DatabaseSync } = await import('node:sqlite');
    const project = await withRuns();
    await interrupt(project, 'cut');
    project.write('.piton/workflows/hello.yaml', '{ name: hello, tasks: { a: { run: echo hello } } }');
    using database = new DatabaseSync(`${project.folder}/.piton/piton.db`);
    database.exec(`UPDATE runs SET status = 'held', spent = '{}' WHERE run = 'aaa-1'`);
    return project;
  }

  test.each([
    [['list'], 'aaa-2'],
    [[], 'aaa-2'],
    [['inbox'], 'It was interrupted'],
    [['usage'], 'No agent has used anything'],
  ])('piton %j shows the others, names it with what helps, and exits with 4', async (args, shown) => {
    const { code, stdout, stderr } = await (await withDamage()).piton(args);
    expect({ code, stdout }).toEqual({ code: 4, stdout: expect.stringContaining(shown) });
    expect(stderr.match(/The row of run "aaa-1" is damaged/g)).toHaveLength(1);
    expect(stderr).toContain('piton verify aaa-1 --repair');
  });

  test('resume --all goes on with the others', async () => {
    const { code, stderr } = await (await withDamage()).piton(['resume', '--all']);
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining('Run cut does not go on') });
    expect(stderr).toContain('piton verify aaa-1 --repair');
  });

  test('search looks through the others', async () => {
    const { code, stderr } = await (await withDamage()).piton(['search', 'anything']);
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining('Nothing was found.') });
    expect(stderr).toContain('piton verify aaa-1 --repair');
  });

  test('programs get the others on standard output, and the damage as an error on the other', async () => {
    const { stdout, stderr } = await (await withDamage()).piton(['list', '--json']);
    const runs = (JSON.parse(stdout) as { run: string }[]).map(({ run }) => run);
    expect(runs).toEqual(['cut', 'bad', 'aaa-2']);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'STORE_DAMAGED', details: { run: 'aaa-1' } } });
  });

  test('another is found by its id, by its beginning and completed; the damaged one itself is refused', async () => {
    const project = await withDamage();
    expect(await project.json(['status', 'aaa-2'])).toMatchObject({ run: 'aaa-2' });
    expect(await project.json(['status', 'ba'])).toMatchObject({ run: 'bad' });
    for (const id of ['aaa-1', 'aaa'])
      expect(await project.piton(['status', id])).toMatchObject({
        code: 4,
        stderr: expect.stringContaining('piton verify aaa-1 --repair'),
      });
    expect((await project.piton(['__complete', 'run'])).stdout).toBe('cut\nbad\naaa-2\naaa-1\n');
    expect(await project.piton(['status', 'nothing-like-it'])).toMatchObject({ code: 2 });
  });

  test('a run begins beside it, and a remark tells of it', async () => {
    const project = await withDamage();
    const { code, stderr } = await project.piton(['run', 'hello', '--id', 'aaa']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('piton verify aaa-1 --repair'),
    });
  });
});
