/** Recoveries of commands that are killed at some points or at all others: each command runs exactly once. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { executionsOf, writeFlow } from '../support/commands.ts';
import { eventually } from '../support/eventually.ts';
import {
  twoAtATime,
  killAt,
  oneOfEach,
  pointsPassed,
  subfolder,
  type Starter,
  type Which,
} from '../support/kill.ts';
import type { CommandOrders } from '../support/programs/drive-commands.ts';
import { unlike } from '../support/promises.ts';
import { startProgram, type Program } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export function drive(folder: string, env: Readonly<Record<string, string>> = {}): Program {
  return driveAll({ folders: [folder] }, env);
}

export function driveAll(orders: CommandOrders, env: Readonly<Record<string, string>> = {}): Program {
  return startProgram('drive-commands', { args: [JSON.stringify(orders)], env });
}

/** Runs whose driver was killed while `slow` was at work and another task waited for it: one driver for all, to save time. */
export async function interrupted(...folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    writeFlow(folder, [
      { name: 'slow', text: 'while [ ! -e go ]; do sleep 0.05; done' },
      { name: 'next', needs: ['slow'] },
    ]);
  }
  const driver = driveAll({ folders, isAtOnce: true });
  const isRunning = (folder: string): boolean => executionsOf(folder)['slow'] === 1;
  await eventually('the commands run', () => folders.every(isRunning));
  driver.child.kill('SIGKILL');
  await driver.ended();
}

function letGo(folder: string): void {
  writeFileSync(join(folder, 'go'), '');
}

/** Lets the command that it recovers end as soon as it drives. What is killed before it drives prints nothing. */
function recovering(folder: string): Starter {
  return (env) => {
    const driver = drive(folder, env);
    void driver.nextLine().then(() => letGo(folder));
    return driver;
  };
}

/** Where `npm test` kills whoever recovers a command that still runs, or one that has ended meanwhile. */
export const recoveries = [
  [
    'adopted',
    ['store:after-commit#2', 'after:attempt.recovered#1', 'before:task.succeeded#1', 'spool:after-start#1'],
  ],
  ['harvested', ['before:attempt.recovered#1', 'after:task.succeeded#1', 'after:run.succeeded#1']],
] as const;

export async function harmDoneInRecovery(
  [how, these]: (typeof recoveries)[number],
  which: Which,
): Promise<string[]> {
  const root = temporaryFolder();
  const points = which === 'these' ? these : await placesElsewhere(how, these);
  const folders = points.map((point) => subfolder(root, point.replaceAll(/[^a-z0-9]/g, '-')));
  await interrupted(...folders);
  if (how === 'harvested') folders.forEach(letGo);
  await twoAtATime([...points.entries()], ([index, point]) => killAt(point, recovering(folders[index]!)));
  folders.forEach(letGo);
  const { lines } = await driveAll({ folders }).ended();

  const ends = lines.filter((line) => line !== 'driving');
  return [
    ...unlike(
      points.map(() => 'ended succeeded'),
      ends,
      'ends',
    ),
    ...points.flatMap((point, index) => unlike({ slow: 1, next: 1 }, executionsOf(folders[index]!), point)),
  ];
}

async function placesElsewhere(how: string, these: readonly string[]): Promise<string[]> {
  const folder = temporaryFolder();
  await interrupted(folder);
  if (how === 'harvested') letGo(folder);
  return oneOfEach(await pointsPassed(recovering(folder)), these);
}
