/** Drivers of commands that are killed at some points, at all others, or at random: each command runs exactly once. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { open } from '../../src/index.ts';
import { executionsOf, processesMarked, writeFlow, type CommandTask } from '../support/commands.ts';
import {
  twoAtATime,
  killAt,
  withoutCommits,
  oneOfEach,
  pointsPassed,
  subfolder,
  type Which,
} from '../support/kill.ts';
import { unlike } from '../support/promises.ts';
import { startProgram, type Program } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export function drive(folder: string, env: Readonly<Record<string, string>> = {}): Program {
  return driveAll([folder], env);
}

function driveAll(folders: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  return startProgram('drive-commands', { args: [JSON.stringify({ folders })], env });
}

export async function outputsIn(folder: string): Promise<unknown> {
  await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
  return (await (await piton.find('run')).result()).outputs;
}

const diamond: readonly CommandTask[] = [
  { name: 'plan' },
  { name: 'left', needs: ['plan'], text: 'sleep 0.05' },
  { name: 'right', needs: ['plan'] },
  { name: 'join', needs: ['left', 'right'] },
];

/** Where `npm test` kills: around each kind of commit and of effect. */
const somePoints = [
  'after:run.created#1',
  'spool:before-prepare#2',
  'spool:after-raise#2',
  'spool:after-prepare#1',
  'spool:before-start#3',
  'spool:before-nonce#2',
  'spool:after-start#1',
  'after:attempt.spawned#2',
  'engine:after-fence#3',
  'before:task.succeeded#1',
  'after:task.succeeded#2',
  'before:run.succeeded#1',
];

export async function harmDoneByKills(which: Which): Promise<string[]> {
  const root = temporaryFolder();
  const untouched = subfolder(root, 'untouched');
  writeFlow(untouched, diamond);
  const passed = withoutCommits(await pointsPassed((env) => drive(untouched, env)));
  const outputs = await outputsIn(untouched);
  const points = which === 'these' ? somePoints : oneOfEach(passed, somePoints);
  expect(oneOfEach(passed).length).toBeGreaterThan(20);
  const folders = new Map(
    points.map((point) => [point, subfolder(root, point.replaceAll(/[^a-z0-9]/g, '-'))]),
  );
  await twoAtATime([...folders], async ([point, folder]) => {
    writeFlow(folder, diamond);
    await killAt(point, (env) => drive(folder, env));
  });
  await driveAll([...folders.values()]).ended();
  const found = await Array.fromAsync(folders, async ([point, folder]) => [
    ...unlike(onceEach(diamond), executionsOf(folder), point),
    ...unlike(outputs, await outputsIn(folder), point),
  ]);
  return found.flat();
}

function onceEach(tasks: readonly CommandTask[]): Record<string, number> {
  return Object.fromEntries(tasks.map(({ name }) => [name, 1]));
}

/** Kills the driver of one run again and again at random moments, with eight commands at a time. */
export async function harmDoneAtRandom(most: {
  readonly kills: number;
  readonly commands: number;
}): Promise<string[]> {
  const folder = temporaryFolder();
  // The n-th command waits for its turn, which comes with the kills: the run cannot end before the last of them.
  const tasks = Array.from({ length: most.commands }, (_, index): CommandTask => {
    const needs = index < 8 ? [] : [`task-${index - 8}`];
    return { name: `task-${index}`, needs, text: `while [ ! -e turn-${index} ]; do sleep 0.2; done` };
  });
  writeFlow(folder, tasks);
  const marker = `PITON_TEST_${crypto.randomUUID().replaceAll('-', '')}`;
  for (let kills = 1; kills <= most.kills; kills++) {
    const driver = drive(folder, { [marker]: '1' });
    expect(await driver.nextLine()).toBe('driving');
    await pause(Math.random() * 100);
    driver.child.kill('SIGKILL');
    expect(await driver.ended()).toEqual({ by: 'SIGKILL', lines: [] });
    for (let turn = 0; turn < Math.ceil((kills * most.commands) / most.kills); turn++)
      writeFileSync(join(folder, `turn-${turn}`), '');
  }
  const { lines } = await drive(folder, { [marker]: '1' }).ended();

  return [
    ...unlike('ended succeeded', lines.at(-1), 'the end'),
    ...unlike(onceEach(tasks), executionsOf(folder), 'executions'),
    ...unlike([], processesMarked(marker), 'processes'),
  ];
}
