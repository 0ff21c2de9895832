import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { open, type RunEvent } from '../../src/index.ts';
import { executionsOf, processesMarked, writeFlow, type CommandTask } from '../support/commands.ts';
import { eventually } from '../support/eventually.ts';
import { eachAtOnce, killAt, oneOfEach, placesPassed, subfolder } from '../support/kill.ts';
import { startProgram, type Program } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function drive(folder: string, env: Readonly<Record<string, string>> = {}): Program {
  return driveAll([folder], env);
}

function driveAll(folders: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  return startProgram('drive-commands', { args: [JSON.stringify({ folders })], env });
}

async function finish(
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string | undefined> {
  const { lines } = await drive(folder, env).ended();
  return lines.at(-1);
}

async function eventsIn(folder: string): Promise<RunEvent[]> {
  await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
  return await Array.fromAsync((await piton.find('run')).events());
}

async function outputsIn(folder: string): Promise<unknown> {
  await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
  return (await (await piton.find('run')).result()).outputs;
}

const diamond: readonly CommandTask[] = [
  { name: 'plan' },
  { name: 'left', needs: ['plan'], text: 'sleep 0.05' },
  { name: 'right', needs: ['plan'] },
  { name: 'join', needs: ['left', 'right'] },
];

function onceEach(tasks: readonly CommandTask[]): Record<string, number> {
  return Object.fromEntries(tasks.map(({ name }) => [name, 1]));
}

describe('a driver of commands killed before and after every commit and every effect', () => {
  test('each command runs exactly once, and the run ends as if nothing had happened', async () => {
    const root = temporaryFolder();
    const untouched = subfolder(root, 'untouched');
    writeFlow(untouched, diamond);
    const places = oneOfEach(await placesPassed((env) => drive(untouched, env)));
    const outputs = await outputsIn(untouched);

    expect(places.length).toBeGreaterThan(20);
    const folders = new Map(
      places.map((place) => [place, subfolder(root, place.replaceAll(/[^a-z0-9]/g, '-'))]),
    );
    await eachAtOnce([...folders], async ([place, folder]) => {
      writeFlow(folder, diamond);
      await killAt(place, (env) => drive(folder, env));
    });
    await driveAll([...folders.values()]).ended();
    for (const [place, folder] of folders) {
      expect.soft(executionsOf(folder), place).toEqual(onceEach(diamond));
      expect.soft(await outputsIn(folder), place).toEqual(outputs);
    }
  });
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

test('thirty random kills of the driver during one run of forty commands: each ran exactly once, and no process is left', async () => {
  const folder = temporaryFolder();
  // The n-th command waits for its turn, which comes with the kills: the run cannot end before the last of them.
  const tasks = Array.from({ length: 40 }, (_, index): CommandTask => {
    const needs = index < 8 ? [] : [`task-${index - 8}`];
    return { name: `task-${index}`, needs, text: `while [ ! -e turn-${index} ]; do sleep 0.2; done` };
  });
  writeFlow(folder, tasks);
  const marker = `PITON_TEST_${crypto.randomUUID().replaceAll('-', '')}`;
  for (let kills = 1; kills <= 30; kills++) {
    const driver = drive(folder, { [marker]: '1' });
    expect(await driver.nextLine()).toBe('driving');
    await pause(Math.random() * 100);
    driver.child.kill('SIGKILL');
    expect(await driver.ended()).toEqual({ by: 'SIGKILL', lines: [] });
    for (let turn = 0; turn < Math.ceil((kills * 4) / 3); turn++)
      writeFileSync(join(folder, `turn-${turn}`), '');
  }
  const ended = await finish(folder, { [marker]: '1' });

  expect(ended).toBe('ended succeeded');
  expect(executionsOf(folder)).toEqual(onceEach(tasks));
  expect(processesMarked(marker)).toEqual([]);
});
