/** Kills real processes at named places, and lets others go on from what they left. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DriveOrders } from './programs/drive-runs.ts';
import { brokenPromises, type Evidence, type Untouched } from './promises.ts';
import { endingOf, lookAt, type Sight } from './sight.ts';
import { startProgram, type Program } from './start-program.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** As many as there are cores on a small machine; more would only wait for each other. */
const processesAtOnce = 2;
/** Resuming so few takes less time than starting another process for half of them. */
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

/** Names of places (`after:task.succeeded#3`) between which the store did not change: killing at one is killing at all. */
export type SamePlaces = readonly string[];

/** Lets a process come to its end, and gives all places that it passed: before a commit, after it, before the next… */
export async function placesPassed(start: Starter): Promise<SamePlaces[]> {
  const log = join(temporaryFolder(), 'places');
  const { by } = await start({ PITON_CRASH_LOG: log }).ended();
  if (by !== 0) throw new Error(`the process that was not to be killed ended by ${by}`);
  return grouped(readFileSync(log, 'utf8').split('\n').slice(0, -1));
}

function grouped(names: readonly string[]): string[][] {
  const passed = new Map<string, number>();
  const groups: string[][] = [];
  names.forEach((name, index) => {
    const count = (passed.get(name) ?? 0) + 1;
    passed.set(name, count);
    const place = `${name}#${count}`;
    if (index > 0 && isBefore(name) === isBefore(names[index - 1]!)) groups.at(-1)!.push(place);
    else groups.push([place]);
  });
  return groups;
}

function isBefore(name: string): boolean {
  return name.includes('before');
}

/** One of each, now the first and now the last, so that every kind of place has its turn; but none of those that are left out. */
export function oneOfEach(places: readonly SamePlaces[], leftOut: readonly string[] = []): string[] {
  return places.flatMap((same, index) => {
    if (same.some((place) => leftOut.includes(place))) return [];
    const certain = index < placesOfFirstCommits ? same : (named([same])[0] ?? same);
    return [index % 4 < 2 ? certain[0]! : certain.at(-1)!];
  });
}

const placesOfFirstCommits = 4;

/** Without those that are numbers of commits: whoever is faster has more in one of them. Each event is there all the same. */
export function named(places: readonly SamePlaces[]): SamePlaces[] {
  return places
    .map((same) => same.filter((place) => !place.startsWith('store:')))
    .filter((same) => same.length > 0);
}

/** Where `npm test` kills, or, as the deep suite does, everywhere else. */
export type Which = 'these' | 'others';

/** Which of the places that a process has passed it is killed at. */
export type Choice = (places: readonly string[]) => readonly string[];

/** So many of them, from the beginning to the end: what they have in common is shown by each. */
export function some(count: number): Choice {
  return (places) => places.filter((_, index) => isChosen(index, places.length, count));
}

/** Those that `some` leaves out. */
export function others(count: number): Choice {
  return (places) => places.filter((_, index) => !isChosen(index, places.length, count));
}

function isChosen(index: number, length: number, count: number): boolean {
  const part = (at: number): number => Math.floor((at * count) / length + 0.5);
  return part(index) !== part(index + 1);
}

/** Fails unless the process dies there: a place that is not passed would prove nothing. */
export async function killAt(place: string, start: Starter): Promise<void> {
  await killed(start({ PITON_CRASH_AT: place }), place);
}

/** The same for a process that kills itself in the n-th task it runs. */
export async function killInTask(count: number, orders: DriveOrders): Promise<void> {
  await killed(drive({ ...orders, dieInTask: count }), `task ${count}`);
}

async function killed(program: Program, place: string): Promise<void> {
  const { by, lines } = await program.ended();
  if (by !== 'SIGKILL') throw new Error(`not killed at ${place}, but ended by ${by}: ${lines.join(', ')}`);
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
  if (kills.length === 0 || !untouched.ending.verified) throw new Error('this trial would prove nothing');
  const folders = new Map(kills.map((kill, index) => [kill, subfolder(root, index)]));
  const sights = new Map<Kill, Sight>();
  await eachAtOnce(kills, async (kill) => {
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
      if (by !== 0 || refusals.length > 0) throw new Error(`resuming ended by ${by}: ${refusals.join(', ')}`);
    }),
  );
}

export async function eachAtOnce<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
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
