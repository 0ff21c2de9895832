/** Kills real processes at crash points, and lets others go on from what they left. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DriveOrders } from './programs/drive-runs.ts';
import { brokenPromises, type Evidence, type Untouched } from './promises.ts';
import { endingOf, lookAt, type Sight } from './sight.ts';
import { startProgram, type Program } from './start-program.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** As many as there are cores on a small machine; more would only wait for each other. */
const processesAtOnce = 2;
/** Below this, one process is faster than starting two. */
const fewFolders = 8;

type Environment = Readonly<Record<string, string>>;
export type Starter = (given: Environment) => Program;

export function drive(orders: DriveOrders, given: Environment = {}): Program {
  return startProgram('drive-runs', { args: [JSON.stringify(orders)], env: given });
}

/** The same, to be started by whoever decides where it dies. */
export function driving(orders: DriveOrders): Starter {
  return (given) => drive(orders, given);
}

export function repair(folder: string, given: Environment = {}): Program {
  return startProgram('repair-run', { args: [folder], env: given });
}

/** Consecutive points (`after:task.succeeded#3`) between which the store did not change; effects outside of it may differ. */
export type SamePoints = readonly string[];

/** Lets a process come to its end, and gives all points that it passed, in groups: before a commit, after it, before the next… */
export async function pointsPassed(start: Starter): Promise<SamePoints[]> {
  const log = join(temporaryFolder(), 'points');
  const { by } = await start({ PITON_CRASH_LOG: log }).ended();
  if (by !== 0) throw new Error(`the process that was not to be killed ended with ${by}`);
  return grouped(readFileSync(log, 'utf8').split('\n').slice(0, -1));
}

function grouped(names: readonly string[]): string[][] {
  const passed = new Map<string, number>();
  const groups: string[][] = [];
  names.forEach((name, index) => {
    const count = (passed.get(name) ?? 0) + 1;
    passed.set(name, count);
    const point = `${name}#${count}`;
    if (index > 0 && isBefore(name) === isBefore(names[index - 1]!)) groups.at(-1)!.push(point);
    else groups.push([point]);
  });
  return groups;
}

function isBefore(name: string): boolean {
  return /(^|:)before[:-]/.test(name);
}

/** One point of each group, the first and the last in turn so that every kind is used; none of groups with one that is left out. */
export function oneOfEach(points: readonly SamePoints[], leftOut: readonly string[] = []): string[] {
  return points.flatMap((same, index) => {
    if (same.some((point) => leftOut.includes(point))) return [];
    const certain = index < pointsOfFirstCommits ? same : (withoutCommits([same])[0] ?? same);
    return [index % 4 < 2 ? certain[0]! : certain.at(-1)!];
  });
}

const pointsOfFirstCommits = 4;

/** Without the points of commits: how many events share one depends on timing. The points of the events remain. */
export function withoutCommits(points: readonly SamePoints[]): SamePoints[] {
  return points
    .map((same) => same.filter((point) => !point.startsWith('store:')))
    .filter((same) => same.length > 0);
}

/** Where `npm test` kills, or, as the deep suite does, everywhere else. */
export type Which = 'these' | 'others';

/** Which of the points that a process has passed it is killed at. */
export type Choice = (points: readonly string[]) => readonly string[];

/** So many, spread evenly from the first to the last. */
export function some(count: number): Choice {
  return (points) => points.filter((_, index) => isChosen(index, points.length, count));
}

/** Those that `some` leaves out. */
export function others(count: number): Choice {
  return (points) => points.filter((_, index) => !isChosen(index, points.length, count));
}

function isChosen(index: number, length: number, count: number): boolean {
  const part = (at: number): number => Math.floor((at * count) / length + 0.5);
  return part(index) !== part(index + 1);
}

/** Fails unless the process dies there: a point that is not passed would prove nothing. */
export async function killAt(point: string, start: Starter): Promise<void> {
  await killed(start({ PITON_CRASH_AT: point }), point);
}

/** The same for a process that kills itself in the n-th task it runs. */
export async function killInTask(count: number, orders: DriveOrders): Promise<void> {
  await killed(drive({ ...orders, dieInTask: count }), `task ${count}`);
}

async function killed(program: Program, point: string): Promise<void> {
  const { by, lines } = await program.ended();
  if (by !== 'SIGKILL') throw new Error(`not killed at ${point}, but ended with ${by}: ${lines.join(', ')}`);
}

export interface Kill {
  readonly name: string;
  /** Leaves an interrupted run in the folder. */
  strike(folder: string): Promise<void>;
}

export interface Trial extends Pick<DriveOrders, 'shape' | 'mirrored'> {
  /** A subfolder is made in it for each kill. */
  readonly root: string;
  readonly untouched: Untouched;
  readonly judge?: (evidence: Evidence) => string[];
}

/** Runs the shape once for each kill, lets all of them go on to the end, and names what was promised and not kept. */
export async function brokenAfter(kills: readonly Kill[], trial: Trial): Promise<string[]> {
  const { root, untouched, judge = brokenPromises, ...orders } = trial;
  if (kills.length === 0 || !untouched.ending.verified)
    throw new Error('nothing is to be killed, or the run that was not killed does not verify');
  const folders = new Map(kills.map((kill, index) => [kill, subfolder(root, index)]));
  const sights = new Map<Kill, Sight>();
  await twoAtATime(kills, async (kill) => {
    await kill.strike(folders.get(kill)!);
    sights.set(kill, await lookAt(folders.get(kill)!));
  });
  await finish({ ...orders, folders: [...folders.values()] });
  const broken: string[] = [];
  for (const [kill, folder] of folders) {
    const before = sights.get(kill)!;
    const evidence = { before, after: await lookAt(folder), ending: await endingOf(folder), untouched };
    broken.push(...judge(evidence).map((promise) => `${kill.name}: ${promise}`));
  }
  return broken;
}

/** Many in one process, to save time. */
async function finish(orders: DriveOrders): Promise<void> {
  const processes = orders.folders.length < fewFolders ? 1 : processesAtOnce;
  const shares = Map.groupBy(orders.folders, (_, index) => index % processes);
  await Promise.all(
    [...shares.values()].map(async (folders) => {
      const { by, lines } = await drive({ ...orders, folders }).ended();
      const refusals = lines.filter((line) => line.startsWith('refused'));
      if (by !== 0 || refusals.length > 0)
        throw new Error(`resuming ended with ${by}: ${refusals.join(', ')}`);
    }),
  );
}

export async function twoAtATime<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await act(item);
  };
  await Promise.all(Array.from({ length: processesAtOnce }, worker));
}

export async function untouchedIn(folder: string): Promise<Untouched> {
  return { sight: await lookAt(folder), ending: await endingOf(folder) };
}

export function subfolder(folder: string, name: string | number): string {
  const path = join(folder, String(name));
  mkdirSync(path);
  return path;
}
