import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { open, type RunEvent } from '../../src/index.ts';
import { executionsOf, writeFlow, type CommandTask } from '../support/commands.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { drive, harmDoneAtRandom, harmDoneByKills, outputsIn } from './command-kills.ts';

async function finish(folder: string): Promise<string | undefined> {
  const { lines } = await drive(folder).ended();
  return lines.at(-1);
}

async function eventsIn(folder: string): Promise<RunEvent[]> {
  await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
  return await Array.fromAsync((await piton.find('run')).events());
}

test('a driver of commands killed around each kind of commit and effect: each command runs exactly once, and the run ends as if nothing had happened', async () => {
  expect(await harmDoneByKills('these')).toEqual([]);
});

test('eight random kills of the driver during one run of twelve commands: each ran exactly once, and no process is left', async () => {
  expect(await harmDoneAtRandom({ kills: 8, commands: 12 })).toEqual([]);
});

describe('a command under way when its driver is killed', () => {
  const slow: readonly CommandTask[] = [
    { name: 'slow', text: 'echo first; while [ ! -e go ]; do sleep 0.02; done; echo last' },
  ];

  async function killedInTheMiddle(tasks: readonly CommandTask[]): Promise<string> {
    const folder = temporaryFolder();
    writeFlow(folder, tasks);
    const driver = drive(folder);
    await eventually('the command runs', () => executionsOf(folder)['slow'] === 1);
    driver.child.kill('SIGKILL');
    await driver.ended();
    return folder;
  }

  test('that still runs is adopted: it is not started again, and its output is complete', async () => {
    const folder = await killedInTheMiddle(slow);
    const next = drive(folder);
    expect(await next.nextLine()).toBe('driving');
    allow(folder);

    expect((await next.ended()).lines.at(-1)).toBe('ended succeeded');
    expect(executionsOf(folder)).toEqual({ slow: 1 });
    expect(await outputsIn(folder)).toEqual({ slow: 'first\nlast\ndone slow' });
    expect((await eventsIn(folder)).filter(({ type }) => type === 'attempt.recovered')).toMatchObject([
      { task: 'slow', data: { how: 'adopted' } },
    ]);
  });

  test('that ends meanwhile is harvested: its result counts, and it is not started again', async () => {
    const folder = await killedInTheMiddle(slow);
    allow(folder);
    await eventually('it has ended', async () => {
      await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
      return (await piton.preview('run')).tasks[0]?.action === 'harvest';
    });

    expect(await finish(folder)).toBe('ended succeeded');
    expect(executionsOf(folder)).toEqual({ slow: 1 });
    expect((await eventsIn(folder)).find(({ type }) => type === 'attempt.recovered')).toMatchObject({
      data: { how: 'harvested' },
    });
  });
});

function allow(folder: string): void {
  writeFileSync(join(folder, 'go'), '');
}
