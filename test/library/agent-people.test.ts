import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadWorkflow, open, type Piton, type Run } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { eventsOf, openPlace, played, startsOf, writeFlow } from '../support/scripted-place.ts';
import { startProgram } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function isOf(run: Run, task: string, status: string): Promise<boolean> {
  return (await run.checkpoint()).tasks[task]?.status === status;
}

/** Another process that looks at the same store. */
async function openBeside(folder: string): Promise<Piton> {
  const piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
  onTestFinished(() => piton.close());
  return piton;
}

describe('what a person tells an agent', () => {
  test('while it works is heard in a turn of its own, in the same session', async () => {
    const { run, folder } = await openPlace();
    const started = await run({
      build: played([
        [{ run: 'touch begun' }, { await: 'go' }, { answer: 'first' }],
        [{ expect: 'mind the gap' }, { answer: 'second' }],
      ]),
    });
    await eventually('it works', () => existsSync(join(folder, 'begun')));
    expect(await started.tell('build', 'mind the gap')).toMatchObject({ status: 'accepted' });
    writeFileSync(join(folder, 'go'), '');

    expect(await started.result()).toMatchObject({ outputs: { build: 'second' } });
  });

  test('at once stops it, and it goes on with that in its session', async () => {
    const { run, folder } = await openPlace();
    const started = await run({
      build: played([
        [{ run: 'touch begun; sleep 1000' }, { answer: 'first' }],
        [{ expect: 'use the other one' }, { expect: 'sleep 1000' }, { answer: 'second' }],
      ]),
    });
    await eventually('it works', () => existsSync(join(folder, 'begun')));
    await started.tell('build', 'use the other one', { now: true });

    expect(await started.result()).toMatchObject({ outputs: { build: 'second' } });
    const sessions = startsOf(await eventsOf(started)).map(({ agent }) => agent?.session);
    expect(new Set(sessions).size).toBe(1);
  });

  test('at once, while it does what may have taken effect, is heard when a person lets it go on', async () => {
    const { run, folder } = await openPlace();
    const started = await run({
      build: played([
        [{ run: 'touch begun; sleep 1000; git push' }, { answer: 'first' }],
        [{ expect: 'not that branch' }, { expect: 'git push' }, { answer: 'second' }],
      ]),
    });
    await eventually('it works', () => existsSync(join(folder, 'begun')));
    await started.tell('build', 'not that branch', { now: true });
    await eventually('it is held', () => isOf(started, 'build', 'held'));
    expect((await started.checkpoint()).tasks['build']!.reason).toContain('git push');
    await started.retry('build');

    expect(await started.result()).toMatchObject({ outputs: { build: 'second' } });
  });

  test('at once, while nobody drives the run, is heard as soon as somebody does', async () => {
    const folder = temporaryFolder();
    writeFlow(folder, {
      build: played([
        [{ run: 'touch begun; sleep 1000' }],
        [{ expect: 'the other one' }, { answer: 'heard' }],
      ]),
    });
    const driver = startProgram('drive-commands', { args: [JSON.stringify({ folders: [folder] })] });
    await eventually('it works', () => existsSync(join(folder, 'begun')));
    driver.child.kill('SIGKILL');
    await driver.ended();
    const { piton } = await openPlace({}, folder);
    const told = await (await piton.find('run')).tell('build', 'the other one', { now: true });
    expect(told).toMatchObject({ status: 'queued' });
    const run = await piton.resume((await piton.definitionOf('run')).definition, 'run');

    expect(await run.result()).toMatchObject({ outputs: { build: 'heard' } });
  });

  test('before it has begun is heard at its beginning', async () => {
    const { run, folder } = await openPlace();
    const started = await run({
      wait: { run: 'while [ ! -e go ]; do sleep 0.05; done' },
      build: played([[{ expect: 'be brief' }, { answer: 'yes' }]], { needs: ['wait'] }),
    });
    await started.tell('build', 'be brief');
    writeFileSync(join(folder, 'go'), '');

    expect(await started.result()).toMatchObject({ outputs: { build: 'yes' } });
  });
});

describe('a session in a person’s hands', () => {
  test('is not to be had while the agent works in it', async () => {
    const { folder, run } = await openPlace();
    const started = await run({
      build: played([[{ run: 'touch begun; sleep 1000' }]]),
      hold: { approval: 'Really?', run: 'true' },
    });
    await eventually('it works', () => existsSync(join(folder, 'begun')));
    await expect(started.lend('build')).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    await expect(started.lend('hold')).rejects.toMatchObject({ code: 'SESSION_MISSING' });
    await expect(started.lend('none')).rejects.toMatchObject({ code: 'TASK_UNKNOWN' });
  });

  test('is one person’s, is waited for by those who go on in it, and they are told', async () => {
    const { folder, run } = await openPlace();
    const started = await run({
      plan: played([[{ answer: 'planned' }]]),
      gate: { needs: ['plan'], approval: 'Go on?', run: 'true' },
      build: played([[{ answer: 'wrong turn' }], [{ answer: 'built' }]], {
        needs: ['gate'],
        session: { continue: 'plan' },
      }),
    });
    await eventually('it asks', () => isOf(started, 'gate', 'held'));
    const beside = await openBeside(folder);
    const lent = await (await beside.find('run')).lend('plan');
    expect(lent).toMatchObject({ agent: 'scripted', directory: folder });
    await expect(started.lend('plan')).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    await started.approve('gate');
    await eventually('it waits for the session', () => isOf(started, 'build', 'held'));
    expect((await started.checkpoint()).tasks['build']!.reason).toContain(`process ${process.pid}`);
    await lent.giveBack();

    expect(await started.result()).toMatchObject({ outputs: { build: 'built' } });
    expect((await eventsOf(started)).filter(({ type }) => type.startsWith('session.'))).toMatchObject([
      { type: 'session.opened' },
      { type: 'session.lent' },
      { type: 'session.returned' },
      { type: 'session.opened' },
    ]);
  });

  test('whose holder dies is taken back by whoever drives the run', async () => {
    const folder = temporaryFolder();
    writeFlow(folder, {
      plan: played([[{ answer: 'planned' }]]),
      gate: { needs: ['plan'], approval: 'Go on?', run: 'true' },
      build: played([[{ answer: 'wrong turn' }], [{ answer: 'built' }]], {
        needs: ['gate'],
        session: { fork: 'plan' },
      }),
    });
    const { piton } = await openPlace({}, folder);
    const run = await piton.start(await loadWorkflow(join(folder, 'flow.yaml')), {
      id: 'run',
      origin: { directory: folder },
    });
    await eventually('it asks', () => isOf(run, 'gate', 'held'));
    const holder = startProgram('lend-session', { args: [folder, 'run', 'plan'] });
    expect(await holder.nextLine()).toBe('lent');
    await run.approve('gate');
    await eventually('it waits for the session', () => isOf(run, 'build', 'held'));
    holder.child.kill('SIGKILL');
    await holder.ended();

    expect(await run.result()).toMatchObject({ outputs: { build: 'built' } });
    expect(await eventsOf(run)).toContainEqual(
      expect.objectContaining({
        type: 'session.returned',
        data: expect.objectContaining({ abandoned: true }),
      }),
    );
  });

  test('taken while nobody drives the run is respected by whoever drives it next', async () => {
    const folder = temporaryFolder();
    writeFlow(folder, {
      plan: played([[{ answer: 'planned' }]]),
      build: played([[{ answer: 'wrong turn' }], [{ run: 'touch built' }, { answer: 'built' }]], {
        needs: ['plan'],
        approval: 'Go on?',
        session: { continue: 'plan' },
      }),
    });
    const driver = startProgram('drive-commands', { args: [JSON.stringify({ folders: [folder] })] });
    const looking = await openBeside(folder);
    await eventually('it asks', async () => {
      const run = await looking.find('run').catch(() => undefined);
      return run !== undefined && (await isOf(run, 'build', 'held'));
    });
    driver.child.kill('SIGKILL');
    await driver.ended();
    const lent = await (await looking.find('run')).lend('plan');
    const { piton } = await openPlace({}, folder);
    const run = await piton.resume((await piton.definitionOf('run')).definition, 'run');
    await run.approve('build');
    await eventually('it waits for the session', async () =>
      ((await run.checkpoint()).tasks['build']!.reason ?? '').includes('its session is open'),
    );
    expect(existsSync(join(folder, 'built'))).toBe(false);
    await lent.giveBack();

    expect(await run.result()).toMatchObject({ status: 'succeeded' });
  });

  test('of a run that has ended can be had too', async () => {
    const { run } = await openPlace();
    const started = await run({ build: played([[{ answer: 'built' }]]) });
    await started.result();
    const lent = await started.lend('build');
    expect(lent.argv.join(' ')).toContain(lent.session);
    await lent.giveBack();
    await (await started.lend('build')).giveBack();
  });

  test('since the run has ended is respected when something is done again in it', async () => {
    const { folder, run, piton } = await openPlace();
    const started = await run({ build: played([[{ answer: 'built' }], [{ answer: 'built again' }]]) });
    await started.result();
    const lent = await (await (await openBeside(folder)).find('run')).lend('build');
    const { definition } = await piton.definitionOf('run');
    const again = await piton.resume(definition, 'run', {
      redo: ['build'],
      inSession: true,
      rerunSucceeded: true,
    });
    await eventually('it waits for the session', () => isOf(again, 'build', 'held'));
    await lent.giveBack();

    expect(await again.result()).toMatchObject({ outputs: { build: 'built again' } });
  });
});

test('what a person refuses is not taken for what was allowed before, when the task is tried again', async () => {
  const { run, piton } = await openPlace();
  const started = await run({
    build: played(
      [
        [{ run: 'echo one' }],
        [{ expect: 'has allowed what you asked for: Shell: echo one' }, { run: 'echo two' }],
        [{ expect: 'a person did not allow it: not two' }, { answer: 'without it' }],
      ],
      { permissions: 'edit' },
    ),
  });
  await eventually('it asks', () => isOf(started, 'build', 'held'));
  await started.approve('build');
  await eventually('it asks for more', async () =>
    ((await started.checkpoint()).tasks['build']!.reason ?? '').includes('echo two'),
  );
  await started.reject('build', 'not two');
  expect(await started.result()).toMatchObject({ status: 'failed' });
  const { definition } = await piton.definitionOf('run');
  const again = await piton.resume(definition, 'run', {
    redo: ['build'],
    inSession: true,
    rerunSucceeded: true,
  });

  expect(await again.result()).toMatchObject({ outputs: { build: 'without it' } });
});

describe('a project', () => {
  test('names secrets that are written down nowhere, whoever prints them', async () => {
    const { run, piton } = await openPlace({
      environment: { ...process.env, HIDDEN: 'not-for-your-eyes' },
      secrets: ['HIDDEN', 'NOT_THERE'],
    });
    const started = await run({
      say: { run: 'echo $HIDDEN', 'inherit-env': 'HIDDEN' },
      build: played([[{ run: 'echo $HIDDEN' }, { answer: 'I saw not-for-your-eyes' }]], {
        'inherit-env': 'HIDDEN',
      }),
    });
    const { outputs } = await started.result();

    expect(outputs).toEqual({ say: '***', build: 'I saw ***' });
    // The workflow itself is a person's own words, and kept as they are.
    const events = (await eventsOf(started)).filter(({ type }) => type !== 'run.created');
    expect(JSON.stringify(events)).not.toContain('not-for-your-eyes');
    const printed = await Promise.all(
      (await piton.keptAttempts()).map(({ attempt }) => Array.fromAsync(piton.output(attempt))),
    );
    expect(JSON.stringify(printed)).not.toContain('not-for-your-eyes');
  });

  test('names secrets that are not in what is asked either, nor in where an agent was interrupted', async () => {
    const secret = 'not-for-your-eyes';
    const { run } = await openPlace({
      environment: { ...process.env, HIDDEN: secret },
      secrets: ['HIDDEN'],
    });
    const long = `echo ${'a'.repeat(88)} ${secret}`;
    const deadly = `kill -KILL $PPID; sleep 1000; git push ${secret}`;
    const started = await run({
      ask: played([[{ run: long }]], { permissions: 'edit' }),
      die: played([[{ run: deadly }]]),
    });
    await eventually('one is refused, the other waits', async () =>
      [await isOf(started, 'ask', 'failed'), await isOf(started, 'die', 'held')].every(Boolean),
    );
    await started.cancel();
    await started.result();
    const events = (await eventsOf(started)).filter(({ type }) => type !== 'run.created');
    expect(JSON.stringify(events)).toContain('git push ***');
    expect(JSON.stringify(events)).not.toContain('not-for');
  });

  test('is not asked to allow a call that holds a secret, which nobody could see', async () => {
    const { run } = await openPlace({
      environment: { ...process.env, HIDDEN: 'not-for-your-eyes' },
      secrets: ['HIDDEN'],
    });
    const started = await run({
      build: played([[{ run: 'curl -H not-for-your-eyes' }, { answer: 'done' }]], { permissions: 'edit' }),
    });
    await started.result();
    const { error } = (await started.checkpoint()).tasks['build']!;

    expect(error).toMatchObject({ code: 'AGENT_DENIED', message: expect.stringContaining('holds a secret') });
    expect(error!.message).not.toContain('not-for-your-eyes');
  });

  test('says what its tools do: what only reads may be gone on from by itself', async () => {
    const { run } = await openPlace({ agents: { scripted: { tools: { Shell: 'reading' } } } });
    const deadly = 'kill -KILL $PPID; sleep 1000; git push';
    const started = await run({ build: played([[{ run: deadly }], [{ answer: 'went on' }]]) });

    expect(await started.result()).toMatchObject({ outputs: { build: 'went on' } });
    const other = await openPlace();
    const held = await other.run({ build: played([[{ run: deadly }], [{ answer: 'went on' }]]) });
    await eventually('it is held', () => isOf(held, 'build', 'held'));
  });

  test('says where an agent is installed', async () => {
    const { run } = await openPlace({ agents: { claude: { executable: '/nowhere/claude' } } });
    const started = await run({ build: { agent: 'claude', prompt: 'Do it.' } });
    await started.result();

    expect((await started.checkpoint()).tasks['build']).toMatchObject({
      error: { code: 'AGENT_MISSING', message: expect.stringContaining('/nowhere/claude') },
    });
  });

  test('has a budget of the day for all its runs together', async () => {
    const { run } = await openPlace({ budgetPerDay: { usd: 1 } });
    const spend = (usd: number): object =>
      played([[{ usage: { input: 10, output: 5, costUsd: usd } }, { answer: 'done' }]]);
    const first = await run({ build: spend(1) }, { id: 'first' });
    expect(await first.result()).toMatchObject({ status: 'succeeded' });
    const second = await run({ build: spend(0.1) }, { id: 'second' });
    await eventually('it waits for tomorrow', () => isOf(second, 'build', 'delayed'));

    expect((await second.checkpoint()).tasks['build']!.reason).toBe(
      'the budget of the day, $1, is used up: $1.00',
    );
    await second.raiseBudget('build', { usd: 0.5 });
    expect(await second.result()).toMatchObject({ status: 'succeeded' });
  });

  test('knows what its agents have used, by day', async () => {
    const { run, piton } = await openPlace();
    const used = [{ usage: { input: 10, output: 5, costUsd: 0.5 } }, { answer: 'done' }];
    await (await run({ a: played([used]), b: played([used]) }, { id: 'first' })).result();
    await (await run({ a: played([used]) }, { id: 'second' })).result();

    expect(await piton.usage()).toMatchObject([
      { agent: 'scripted', usd: 1.5, tokens: 45, unpricedTokens: 0, runs: 2 },
    ]);
  });
});
