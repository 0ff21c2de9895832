import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { manualClock, open, type Piton, type Run, type RunEvent } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import {
  eventsOf,
  openPlace,
  played,
  promptsOf,
  startsOf,
  transcriptOf,
  writeFlow,
} from '../support/scripted-place.ts';
import { startProgram } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function agentsOf(events: readonly RunEvent[]): unknown[] {
  return startsOf(events).map(({ agent }) => agent);
}

describe('a task done by an agent', () => {
  test('gives the answer, and leaves its conversation in the journal', async () => {
    const { run, folder } = await openPlace();
    const started = await run({
      task: played([[{ say: 'looking' }, { run: 'echo found > file; echo out' }, { answer: 'all done' }]]),
    });
    const result = await started.result();
    const events = await eventsOf(started);

    expect(result).toMatchObject({ status: 'succeeded', outputs: { task: 'all done' } });
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('found\n');
    expect(transcriptOf(events).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['session', 'message', 'tool-started', 'tool-finished', 'result']),
    );
    expect(promptsOf(events)).toEqual([expect.stringMatching(/^Do it\./)]);
    expect(events.filter(({ type }) => type === 'session.opened')).toHaveLength(1);
  });

  test('gives JSON that fits its schema, or fails', async () => {
    const { run } = await openPlace();
    const started = await run({
      good: played([[{ answer: '{"ok": true}' }]], { output: { ok: 'boolean' } }),
      bad: played([[{ answer: 'no idea' }]], { output: { ok: 'boolean' }, 'continue-on-error': true }),
    });
    expect((await started.result()).outputs).toMatchObject({ good: { ok: true } });
    expect((await started.checkpoint()).tasks['bad']).toMatchObject({ error: { code: 'OUTPUT_INVALID' } });
  });

  test('that ends without a result, is denied or not logged in, has failed, whatever its exit code says', async () => {
    const { run } = await openPlace();
    const started = await run({
      silent: played([[{ say: 'hm' }, { exit: 0 }]]),
      denied: played([[{ deny: { tool: 'Bash', reason: 'no' } }, { answer: 'fine' }]]),
      stranger: played([[{ fail: { kind: 'auth', message: 'not logged in' } }]], { retry: 3 }),
    });
    await started.result();
    const { tasks } = await started.checkpoint();
    expect(tasks['silent']).toMatchObject({ status: 'failed', error: { code: 'AGENT_FAILED' } });
    expect(tasks['denied']).toMatchObject({ status: 'failed', error: { code: 'AGENT_DENIED' } });
    expect(tasks['stranger']).toMatchObject({ attempts: 1, error: { code: 'AGENT_NOT_LOGGED_IN' } });
  });

  test('waits for the end of a usage limit, and goes on in its session', async () => {
    const clock = manualClock(Date.now());
    const { run } = await openPlace({ clock });
    const started = await run({
      task: played([
        [{ limit: { in: '2h', text: 'too much' } }],
        [{ recall: true }, { answer: 'after the limit' }],
      ]),
    });
    await eventually(
      'it waits',
      async () => (await started.checkpoint()).tasks['task']!.status === 'delayed',
    );
    const { until } = (await started.checkpoint()).tasks['task']!;
    expect(until).toBeGreaterThan(clock.now() + 60 * 60_000);
    clock.advance(3 * 60 * 60_000);

    expect(await started.result()).toMatchObject({ outputs: { task: 'after the limit' } });
    expect(agentsOf(await eventsOf(started))).toMatchObject([
      { how: 'new' },
      { how: 'continue', rung: 'session' },
    ]);
  });

  test('goes on in the session of another task, or in a copy of it', async () => {
    const { run } = await openPlace();
    const started = await run({
      plan: played([[{ answer: 'planned' }]]),
      copy: played([[{ answer: 'not this' }], [{ answer: 'copied' }]], {
        needs: ['plan'],
        session: { fork: 'plan' },
      }),
      build: played([[{ answer: 'not this' }], [{ answer: 'built' }]], {
        needs: ['plan', 'copy'],
        session: { continue: 'plan' },
      }),
    });
    const { outputs } = await started.result();
    const [plan, copy, build] = agentsOf(await eventsOf(started)) as Record<string, string>[];

    expect(outputs).toEqual({ plan: 'planned', copy: 'copied', build: 'built' });
    expect(copy).toMatchObject({ how: 'fork', of: plan!['session'] });
    expect(build).toMatchObject({ how: 'continue', session: plan!['session'] });
  });
});

/** Created, spawned, said: else there would be nothing that could be told twice. */
async function hasSpoken(folder: string): Promise<boolean> {
  await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
  return (await (await piton.find('run')).checkpoint()).seq >= 3;
}

describe('an agent whose driver is killed', () => {
  async function killedDriver(tasks: Readonly<Record<string, unknown>>): Promise<string> {
    const folder = temporaryFolder();
    writeFlow(folder, tasks);
    const driver = startProgram('drive-commands', { args: [JSON.stringify({ folders: [folder] })] });
    await eventually('the agent is at work', () => existsSync(join(folder, 'begun')));
    await eventually('what it has said is in the journal', () => hasSpoken(folder));
    driver.child.kill('SIGKILL');
    await driver.ended();
    return folder;
  }

  async function goOn(folder: string): Promise<{ run: Run; piton: Piton }> {
    const piton = await open({ store: `sqlite:${join(folder, 'piton.db')}`, graceMs: 300 });
    onTestFinished(() => piton.close());
    const { definition } = await piton.definitionOf('run');
    return { piton, run: await piton.resume(definition, 'run') };
  }

  const slow = [{ say: 'one' }, { run: 'touch begun' }, { await: 'go' }, { say: 'two' }, { answer: 'done' }];

  test('is not interrupted: the same process goes on, and its transcript has no gap and nothing twice', async () => {
    const folder = await killedDriver({ task: played([slow]) });
    const { run } = await goOn(folder);
    writeFileSync(join(folder, 'go'), '');

    expect(await run.result()).toMatchObject({ outputs: { task: 'done' } });
    const events = await eventsOf(run);
    expect(events.filter(({ type }) => type === 'attempt.started')).toHaveLength(1);
    expect(events.find(({ type }) => type === 'attempt.recovered')).toMatchObject({
      data: { how: 'adopted' },
    });
    const said = transcriptOf(events).flatMap(({ type, text }) => (type === 'message' ? [text] : []));
    expect(said.filter((text) => text === 'one' || text === 'two')).toEqual(['one', 'two']);
    expect(transcriptOf(events).filter(({ type }) => type === 'result')).toHaveLength(1);
  });

  test('and that is killed too, goes on in its own session, and is told what it was doing', async () => {
    const folder = await killedDriver({
      task: played([
        [{ run: 'echo step-one' }, { run: 'touch begun; sleep 1000' }],
        [{ expect: 'In flight when you were interrupted' }, { expect: 'step-one' }, { answer: 'went on' }],
      ]),
    });
    const { piton, run } = await (async () => {
      const looking = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
      const [kept] = await looking.keptAttempts();
      process.kill(-kept!.pid!, 'SIGKILL');
      await looking.close();
      return goOn(folder);
    })();

    expect(await run.result()).toMatchObject({ outputs: { task: 'went on' } });
    const starts = agentsOf(await eventsOf(run)) as Record<string, string>[];
    expect(starts).toMatchObject([
      { how: 'new' },
      { how: 'continue', rung: 'session', session: starts[0]!['session'] },
    ]);
    expect(await piton.keptAttempts()).toHaveLength(2);
  });

  test('in the middle of what cannot be taken back, is held with the place where it was', async () => {
    const folder = await killedDriver({
      task: played([[{ run: 'touch begun; sleep 1000 # git push origin main\ngit push origin main' }]]),
    });
    const looking = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
    process.kill(-(await looking.keptAttempts())[0]!.pid!, 'SIGKILL');
    await looking.close();
    const { run } = await goOn(folder);
    await eventually('it is held', async () => (await run.status()) === 'held');

    expect((await run.checkpoint()).tasks['task']).toMatchObject({
      status: 'held',
      reason: expect.stringContaining('git push'),
    });
  });
});
