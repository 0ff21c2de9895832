import { asError, PitonError } from '../../base/index.ts';
import { knownRequestOf, type Engine, type EnginePorts } from '../../engine/index.ts';
import {
  isStanding as isPlaceStanding,
  isToBeCleaned,
  statusOf,
  type RunState,
  type TaskState,
  type WorkspaceState,
} from '../../kernel/index.ts';
import { isFinal } from '../../model/index.ts';
import type { RunRecord } from '../../store/index.ts';
import type { Look, RepositoryOrigin, Upkeep } from '../../workspaces/index.ts';

/** What a look at workspaces is made with. */
export interface WorkspacePorts {
  readonly engine: Engine;
  readonly ports: EnginePorts & { readonly upkeep: Upkeep; closePlaces(): Promise<void> };
}

export interface ReadRun {
  readonly run: string;
  readonly state: RunState;
  /** Somebody is at work on it: what it has is left to them. */
  readonly isDriven: boolean;
}

/** All that the store knows of places. */
export interface Records {
  readonly runs: readonly ReadRun[];
  /** Their journals cannot be read; what they have is not known, and not touched. */
  readonly unread: readonly { readonly run: string; readonly reason: string }[];
  /** The ids of all runs, whether they were asked for or not. */
  readonly known: readonly string[];
  /** What this store does not know may be known to another one. */
  readonly mayBeOthers: boolean;
}

/** `run`: only that one; `standing`: only those with places that are there. */
export interface Asked {
  readonly run?: string;
  readonly standing?: boolean;
}

/** Throws `RUN_NOT_FOUND` for one that is not there. */
export async function readRecords({ engine, ports }: WorkspacePorts, asked: Asked = {}): Promise<Records> {
  const records = await ports.store.listRuns({ limit: Number.MAX_SAFE_INTEGER });
  if (asked.run !== undefined) await engine.find(asked.run);
  const runs: ReadRun[] = [];
  const unread: { run: string; reason: string }[] = [];
  for (const { run } of records.filter((record) => isMeant(record, asked))) {
    const read = await readRun(engine, run);
    if ('reason' in read) unread.push(read);
    else runs.push(read);
  }
  const known = records.map(({ run }) => run);
  return { runs, unread, known, mayBeOthers: await ports.store.mayShareFolder() };
}

function isMeant({ run, places = 0 }: RunRecord, asked: Asked): boolean {
  return (asked.run === undefined || run === asked.run) && (asked.standing !== true || places > 0);
}

async function readRun(engine: Engine, run: string): Promise<ReadRun | { run: string; reason: string }> {
  try {
    // Asked before its state is read: what changes in between is a driver's doing.
    const isDriven = await engine.isDriven(run);
    return { run, state: await engine.load(run), isDriven };
  } catch (thrown) {
    if (!(thrown instanceof PitonError)) throw thrown;
    return { run, reason: thrown.message };
  }
}

/** A task, and the place that is recorded for it. */
export interface RecordedPlace {
  readonly state: RunState;
  readonly task: TaskState;
  readonly place: WorkspaceState;
}

export function placesOf(state: RunState): RecordedPlace[] {
  return [...state.tasks.values()].flatMap((task) =>
    task.workspace === undefined ? [] : [{ state, task, place: task.workspace }],
  );
}

/** It should still be there: nobody has said that it was removed. */
export function isStanding({ place }: RecordedPlace): boolean {
  return isPlaceStanding(place);
}

export function isOver(state: RunState): boolean {
  return isFinal(statusOf(state));
}

/**
 * Its task has settled, and nothing that goes on needs it: it may be cleaned by whoever asks for that, whatever the policy
 * is and was decided before. If its task is tried again, it is made again from what was archived.
 */
export function isDone({ state, task, place }: RecordedPlace): boolean {
  const { cleaned: _, ...workspace } = place;
  return isToBeCleaned(state, { ...task, workspace }, 'archive');
}

/** How each of them is. What cannot be looked at is not known, and does not hide the others. */
export async function lookAt(
  { ports }: WorkspacePorts,
  places: readonly RecordedPlace[],
): Promise<ReadonlyMap<RecordedPlace, Look>> {
  const looks = new Map<RecordedPlace, Look>();
  const groups = Map.groupBy(places, ({ place }) => place.remote ?? place.kind ?? 'worktree');
  for (const group of groups.values()) {
    const seen = await lookTogether(ports.upkeep, group);
    for (const [index, look] of seen.entries()) looks.set(group[index]!, look);
  }
  return looks;
}

async function lookTogether(
  upkeep: Pick<Upkeep, 'look'>,
  places: readonly RecordedPlace[],
): Promise<readonly Look[]> {
  try {
    return await upkeep.look(places.map(({ state, task }) => knownRequestOf(state, task)));
  } catch (thrown) {
    const text = asError(thrown).message;
    return places.map(({ place: { token } }) => ({ token, health: 'unknown', text }));
  }
}

/** Of all runs, and around the folder of the project: what is left of runs that are gone is in it too. */
export async function repositoriesOf(
  { ports }: WorkspacePorts,
  { runs }: Records,
  folder: string,
): Promise<readonly RepositoryOrigin[]> {
  const found = new Map<string, RepositoryOrigin>();
  // Without a commit, or without git, there is nothing to be found in it.
  const around = await ports.workspaces.find(folder, undefined).catch(() => undefined);
  for (const repository of [around, ...runs.map(({ state }) => state.origin?.repository)]) {
    if (repository !== undefined) found.set(repository.commonDir, repository);
  }
  return [...found.values()];
}
