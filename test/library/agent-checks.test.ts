import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { eventsOf, openPlace, played, startsOf, writeFlow } from '../support/scripted-place.ts';
import { startProgram } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const kindsOf = async (run: Parameters<typeof eventsOf>[0]): Promise<(string | undefined)[]> =>
  startsOf(await eventsOf(run)).map(({ kind }) => kind);

describe('the check of a task', () => {
  test('that passes lets the task succeed, with the output of the agent', async () => {
    const { run } = await openPlace();
    const started = await run({
      build: played([[{ run: 'echo good > file' }, { answer: 'built' }]], { check: 'grep -q good file' }),
    });

    expect(await started.result()).toMatchObject({ outputs: { build: 'built' } });
    expect(await kindsOf(started)).toEqual([undefined, 'check']);
  });

  test('that fails goes back into the same session, with what it said, until it passes', async () => {
    const { run } = await openPlace();
    const started = await run({
      build: played(
        [
          [{ expect: 'your work is checked by: cat file' }, { answer: 'first' }],
          [
            { expect: 'No such file' },
            { expect: 'cat file && grep good file' },
            { run: 'echo bad > file' },
            { answer: 'second' },
          ],
          [{ expect: 'exit code 1' }, { run: 'echo good > file' }, { answer: 'third' }],
        ],
        { check: { run: 'cat file && grep good file', revise: 2 } },
      ),
    });

    expect(await started.result()).toMatchObject({ outputs: { build: 'third' } });
    const starts = startsOf(await eventsOf(started));
    expect(starts.map(({ kind }) => kind)).toEqual([
      undefined,
      'check',
      'revision',
      'check',
      'revision',
      'check',
    ]);
    const sessions = new Set(starts.flatMap(({ agent }) => agent?.session ?? []));
    expect(sessions.size).toBe(1);
  });

  test('that fails tells its reason and the agent the last lines of both streams, the one written to last at the end', async () => {
    const { run } = await openPlace();
    const check = 'echo npm warn x >&2; sleep 0.1; echo FAIL login; test -e done || { touch done; false; }';
    const started = await run({
      build: played([[{ answer: 'first' }], [{ expect: 'npm warn x\nFAIL login' }, { answer: 'second' }]], {
        check: { run: check, revise: 1 },
      }),
    });

    expect(await started.result()).toMatchObject({ outputs: { build: 'second' } });
    const failed = (await eventsOf(started)).find(({ type }) => type === 'check.failed');
    expect(failed?.data).toEqual({ report: 'exit code 1\nnpm warn x\nFAIL login', revision: 1 });
  });

  test('that has expressions is told with their values, and finds the same where the agent runs it itself', async () => {
    const { run } = await openPlace();
    const started = await run({
      build: played(
        [
          [
            { expect: 'PITON_VALUE_1=of size 7' },
            { run: 'echo "of size 7" > file; grep -q "${PITON_VALUE_1}" file && touch passed' },
            { answer: 'built' },
          ],
        ],
        { check: "grep -q ${{ 'of size ' + '7' }} file && test -e passed" },
      ),
      listed: played([[{ expect: 'checked by: test 7 = 7' }, { answer: 'listed' }]], {
        check: { run: ['test', '${{ 3 + 4 }}', '=', '7'] },
      }),
    });

    expect(await started.result()).toMatchObject({ outputs: { build: 'built', listed: 'listed' } });
  });

  test('that still fails after the last revision fails the task, and a retry is told why', async () => {
    const { run } = await openPlace();
    const started = await run({
      build: played([[{ answer: 'no' }], [{ answer: 'still no' }]], {
        check: { run: 'echo it is red >&2; exit 3', revise: 1 },
      }),
      again: played(
        [[{ answer: 'no' }], [{ expect: 'it is red' }, { run: 'touch green' }, { answer: 'yes' }]],
        {
          check: { run: 'test -e green || { echo it is red; false; }', revise: 0 },
          retry: { attempts: 2, backoff: '1ms' },
        },
      ),
    });

    expect(await started.result()).toMatchObject({ status: 'failed', outputs: { again: 'yes' } });
    const { build } = (await started.checkpoint()).tasks;
    expect(build).toMatchObject({
      attempts: 1,
      error: {
        code: 'CHECK_FAILED',
        message: expect.stringMatching(/after 1 revision: exit code 3: it is red/),
      },
    });
  });

  test('sees the values of expressions as data, and no secret reaches the agent or the journal', async () => {
    const { run } = await openPlace({ environment: { ...process.env, TOKEN: 'very-secret-token' } });
    const started = await run({
      name: { run: 'echo "a; touch pwned"' },
      build: played([[{ answer: 'one' }], [{ expect: 'got a; touch pwned and ***' }, { answer: 'two' }]], {
        needs: ['name'],
        secrets: ['TOKEN'],
        check: {
          run: 'echo got ${{ tasks.name.output }} and $TOKEN; test -e done || { touch done; false; }',
        },
      }),
    });

    expect(await started.result()).toMatchObject({ outputs: { build: 'two' } });
    expect(JSON.stringify(await eventsOf(started))).not.toContain('very-secret-token');
  });

  test('may be run by the agent itself under the policy edit, and nothing else may', async () => {
    const { run } = await openPlace();
    const started = await run({
      build: played([[{ run: 'echo checked >> ledger' }, { answer: 'done' }]], {
        permissions: 'edit',
        check: 'echo checked >> ledger',
      }),
    });

    expect(await started.result()).toMatchObject({ status: 'succeeded' });
  });

  test('whose driver is killed is adopted, and not run a second time', async () => {
    const folder = temporaryFolder();
    const tasks = {
      build: played([[{ answer: 'built' }]], {
        check: 'echo begun >> ledger; while [ ! -e go ]; do sleep 0.05; done; echo ended >> ledger',
      }),
    };
    writeFlow(folder, tasks);
    const driver = startProgram('drive-commands', { args: [JSON.stringify({ folders: [folder] })] });
    await eventually('the check runs', () => existsSync(join(folder, 'ledger')));
    driver.child.kill('SIGKILL');
    await driver.ended();
    const { piton } = await openPlace({}, folder);
    const { definition } = await piton.definitionOf('run');
    const run = await piton.resume(definition, 'run');
    writeFileSync(join(folder, 'go'), '');

    expect(await run.result()).toMatchObject({ outputs: { build: 'built' } });
    expect(readFileSync(join(folder, 'ledger'), 'utf8')).toBe('begun\nended\n');
  });

  test('that finds the same in the same files a third time holds the task instead of paying again', async () => {
    const { run, folder } = await openPlace();
    execFileSync('git', ['init', '-q'], { cwd: folder });
    writeFileSync(join(folder, '.gitignore'), 'piton.db*\nspool\n');
    const started = await run({
      build: played([[{ answer: 'I think it is done' }]], {
        check: { run: 'echo "took $(date +%N) ns"; echo it is red; false', revise: 10 },
      }),
    });
    await eventually('it is held', async () => (await started.status()) === 'held');

    expect((await started.checkpoint()).tasks['build']).toMatchObject({
      attempts: 1,
      revisions: 2,
      reason: expect.stringMatching(/3 times in the same way, and no file has changed/),
    });
    expect((await started.retry('build')).status).toBe('accepted');
    await eventually(
      'it is paid for again',
      async () => (await started.checkpoint()).tasks['build']!.revisions === 3,
    );
  });

  test('is tried again and again while files do change', async () => {
    const { run, folder } = await openPlace();
    execFileSync('git', ['init', '-q'], { cwd: folder });
    const started = await run({
      build: played([[{ run: 'echo more >> file' }, { answer: 'done?' }]], {
        check: { run: 'test "$(wc -l < file)" -ge 5', revise: 6 },
      }),
    });

    expect(await started.result()).toMatchObject({ status: 'succeeded' });
  });
});

test('a failed task that is retried goes on in its session, and from scratch only if that is asked for', async () => {
  const { run, piton } = await openPlace();
  const started = await run({ build: played([[{ exit: 1 }], [{ answer: 'second turn' }]]) });
  await started.result();
  const { definition } = await piton.definitionOf('run');
  const again = await piton.resume(definition, 'run', { redo: ['build'], inSession: true });

  expect(await again.result()).toMatchObject({ outputs: { build: 'second turn' } });
  const fresh = await piton.resume(definition, 'run', { redo: ['build'], rerunSucceeded: true });
  expect(await fresh.result()).toMatchObject({ status: 'failed' });
  const sessions = startsOf(await eventsOf(fresh)).map(({ agent }) => agent?.session);
  expect(sessions[1]).toBe(sessions[0]);
  expect(sessions[2]).not.toBe(sessions[0]);
});
