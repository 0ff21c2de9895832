import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { open, type TaskView } from '../../src/index.ts';
import { executionsOf, writeFlow, type CommandTask } from '../support/commands.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { drive, driveAll, interrupted, harmDoneInRecovery, recoveries } from './command-recovery.ts';

async function taskIn(folder: string, name: string): Promise<TaskView> {
  await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
  return (await (await piton.find('run')).checkpoint()).tasks[name]!;
}

describe('a driver killed while it recovers commands', () => {
  test.for(recoveries)('that are %s: the next one goes on, and each ran exactly once', async (recovery) => {
    expect(await harmDoneInRecovery(recovery, 'these')).toEqual([]);
  });
});

describe('a wrapper killed by itself', () => {
  const task: CommandTask = { name: 'task', onInterrupt: 'ask' };

  test.for(['before-claim', 'after-claim'] as const)(
    '%s: the command has not begun, which is no reason to ask',
    async (place) => {
      const folder = temporaryFolder();
      writeFlow(folder, [task]);
      const driver = drive(folder, { PITON_WRAPPER_CRASH: place });
      await eventually('it is put off', async () => {
        const found = globSync(join(folder, 'piton.db')).length > 0;
        return found && (await taskIn(folder, 'task').catch(() => undefined))?.status === 'delayed';
      });
      driver.child.kill('SIGKILL');
      await driver.ended();
      await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
      const { definition } = await piton.definitionOf('run');
      const run = await piton.resume(definition, 'run');
      await run.retry('task');

      expect(await run.result()).toMatchObject({ status: 'succeeded' });
      expect(executionsOf(folder)).toEqual({ task: 1 });
    },
  );

  test.for([
    ['before-command', {}],
    ['after-command', { task: 1 }],
    ['during-record', { task: 1 }],
  ] as const)(
    '%s: nobody knows how it ended, so a person is asked, and it is not taken for a success',
    async ([place, executions]) => {
      const folder = temporaryFolder();
      writeFlow(folder, [task]);

      expect((await drive(folder, { PITON_WRAPPER_CRASH: place }).ended()).lines.at(-1)).toBe('ended held');
      expect(await taskIn(folder, 'task')).toMatchObject({ status: 'held', attempts: 1 });
      expect(executionsOf(folder)).toEqual(executions);
    },
  );

  test('after-record: it has ended, and its result counts', async () => {
    const folder = temporaryFolder();
    writeFlow(folder, [task]);

    const { lines } = await drive(folder, { PITON_WRAPPER_CRASH: 'after-record' }).ended();

    expect(lines.at(-1)).toBe('ended succeeded');
    expect(executionsOf(folder)).toEqual({ task: 1 });
  });
});

test('a driver that is killed after it has asked a command to stop leaves no failure behind', async () => {
  const folder = temporaryFolder();
  writeFlow(folder, [{ name: 'task', text: '[ -e go ] || while :; do sleep 0.02; done' }]);
  const driver = drive(folder, { PITON_CRASH_AT: 'spool:fence-between-term-and-kill' });
  await eventually('the command runs', () => executionsOf(folder)['task'] === 1);
  driver.child.kill('SIGTERM');
  expect((await driver.ended()).by).toBe('SIGKILL');
  writeFileSync(join(folder, 'go'), '');

  expect((await drive(folder).ended()).lines.at(-1)).toBe('ended succeeded');
  expect(executionsOf(folder)).toEqual({ task: 2 });
});

test('a driver that was stopped before it could spawn, and wakes when another has taken over, starts nothing', async () => {
  const folder = temporaryFolder();
  writeFlow(folder, [{ name: 'task' }]);
  const stopped = driveAll({ folders: [folder], leaseMs: 3_000 }, { PITON_STOP_AT: 'spool:before-prepare' });
  await eventually('it is stopped', async () => {
    if (globSync(join(folder, 'piton.db')).length === 0) return false;
    await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
    return (await piton.driver('run').catch(() => undefined))?.stopped === true;
  });
  {
    await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
    const { definition } = await piton.definitionOf('run');
    const run = await piton.resume(definition, 'run', { takeover: true });
    expect(await run.result()).toMatchObject({ status: 'succeeded' });
  }
  stopped.child.kill('SIGCONT');
  await stopped.ended();

  expect(executionsOf(folder)).toEqual({ task: 1 });
});

test('a driver that was stopped, and is asked to end when another has taken over, leaves the command alone', async () => {
  const folder = temporaryFolder();
  writeFlow(folder, [{ name: 'slow', text: 'while [ ! -e go ]; do sleep 0.02; done' }]);
  const stale = drive(folder);
  await eventually('the command runs', () => executionsOf(folder)['slow'] === 1);
  await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
  const isQuiet = async (): Promise<boolean> => (await (await piton.find('run')).checkpoint()).seq === 2;
  await eventually('its process is written down', isQuiet);
  stale.child.kill('SIGSTOP');
  const { definition } = await piton.definitionOf('run');
  const run = await piton.resume(definition, 'run', { takeover: true });
  stale.child.kill('SIGTERM');
  stale.child.kill('SIGCONT');
  await stale.ended();
  writeFileSync(join(folder, 'go'), '');

  expect(await run.result()).toMatchObject({ status: 'succeeded' });
  expect(executionsOf(folder)).toEqual({ slow: 1 });
});

test('a command that was started on another host is held, for only a person can know', async () => {
  const folder = temporaryFolder();
  await interrupted(folder);
  const { attempt } = await taskIn(folder, 'slow');
  const description = join(folder, 'spool', attempt!, 'attempt.json');
  await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
  const pidOf = async (): Promise<number | undefined> =>
    (await piton.keptAttempts()).find((kept) => kept.attempt === attempt)?.pid;
  process.kill(-(await pidOf())!, 'SIGKILL');
  await eventually('its process is gone', async () => (await pidOf()) === undefined);
  const described = JSON.parse(readFileSync(description, 'utf8')) as { origin: object };
  writeFileSync(
    description,
    JSON.stringify({ ...described, origin: { ...described.origin, host: 'elsewhere' } }),
  );
  const { definition } = await piton.definitionOf('run');
  const run = await piton.resume(definition, 'run');

  expect((await run.checkpoint()).tasks['slow']).toMatchObject({
    status: 'held',
    reason: expect.stringContaining('elsewhere'),
  });
  expect(executionsOf(folder)).toEqual({ slow: 1 });
});
