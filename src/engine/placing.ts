import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PitonError } from '../base/index.ts';
import {
  artifactSources,
  finishedOf,
  isSlotEquipped,
  kindOf,
  placementOf,
  type RunState,
  type TaskState,
} from '../kernel/index.ts';
import type { Outcome, TaskSpec } from '../model/index.ts';
import type { SpoolOrder } from '../spool/index.ts';
import type {
  KnownRequest,
  Place,
  PlaceRequest,
  Prepared,
  WorkRequest,
  PlaceWork,
} from '../workspaces/index.ts';

/** Where a task works, and how a program is started there. */
export interface Placed {
  readonly folder: string;
  /** Why it cannot begin there now, as how the attempt ends. */
  readonly obstacle?: Outcome;
  /** Absent: the folder of the run. */
  readonly place?: Place;
  enter(order: SpoolOrder): Promise<SpoolOrder>;
}

/** Told when a place was made or made again, or given from one task to another. */
export type PlaceNews = Prepared;

type Given = { readonly state: RunState; readonly task: TaskState };

/** The folder in which a task works: that of the run, or one in a place of its own. */
export async function placeTask(
  workspaces: PlaceWork,
  { state, task }: Given,
  tell: (news: PlaceNews) => void,
): Promise<Placed> {
  if (placementOf(state, task).mode === 'shared') {
    return { folder: state.origin?.directory ?? '.', enter: asItIs };
  }
  const request = requestOf(state, task);
  assertNotLost(task);
  const prepared = await workspaces.prepare(request);
  const { place } = prepared;
  if (isNews(request, prepared)) tell(prepared);
  if (prepared.unfilled !== undefined) throw prepared.unfilled;
  const known = { ...workOf(state, task, request), known: place };
  return {
    folder: folderIn(request, place),
    place: placeOf(place),
    ...(prepared.recovered !== undefined && isEquippedFirst(task) && { obstacle: unequipped }),
    enter: async (order) => workspaces.enter(known, { ...order, env: { ...order.env, ...portsOf(place) } }),
  };
}

/** Of a program in the folder of the run. */
export async function asItIs(order: SpoolOrder): Promise<SpoolOrder> {
  return order;
}

/** What is done in a place that was made anew needs its setup before; and a merge that was to be checked is gone with it. */
function isEquippedFirst(task: TaskState): boolean {
  const kind = kindOf(task);
  return kind === 'verify' || (task.spec.setup?.work !== undefined && kind !== 'setup');
}

const unequipped: Outcome = {
  type: 'interrupted',
  reason: 'its place was made anew, and is to be made usable first',
  graceful: true,
  neverBegan: true,
};

function isNews({ known }: PlaceRequest, { place, recovered, handedOver }: Prepared): boolean {
  return recovered !== undefined || handedOver !== undefined || known?.path !== place.path;
}

/** In a worktree, the same folder of the repository in which the run was started. */
function folderIn({ mode, repository }: PlaceRequest, { path }: Place): string {
  return mode.mode === 'directory' ? path : join(path, repository?.prefix ?? '');
}

/** Where a task has worked; in no place of its own: in the folder of the run. */
export function folderOf(state: RunState, task: TaskState): string {
  if (placementOf(state, task).mode === 'shared') return state.origin?.directory ?? '.';
  const request = knownRequestOf(state, task);
  return folderIn(request, request.known);
}

function portsOf({ ports }: Place): Record<string, string> {
  if (ports === undefined) return {};
  const { first, count } = ports;
  const all = Array.from({ length: count }, (_, index) => first + index);
  return { PITON_PORT: String(first), PITON_PORTS: all.join(' ') };
}

/** Whether its finished work would be there if its place were made again; what was saved before its end is not all of it. */
export function isWorkSaved({ stage, workspace }: TaskState): boolean {
  return workspace?.savedBy !== undefined && workspace.savedBy === finishedOf(stage)?.by;
}

/** Made again without its files, what is done would be checked, or brought in, without having been there. */
function assertNotLost(task: TaskState): void {
  const { address, stage, workspace } = task;
  if (finishedOf(stage) === undefined || workspace === undefined || isWorkSaved(task)) return;
  if (workspace.isAdopted === true && workspace.snapshot !== undefined) return;
  if (workspace.kind === 'remote' || existsSync(workspace.path)) return;
  const { path, snapshot } = workspace;
  const again = snapshot === undefined ? 'recreate' : 'restore';
  throw new PitonError(
    'WORKSPACE_GONE',
    `The place of ${address} is gone, with its finished work: ${path}.`,
    {
      path,
      remedy: `Have it made again with \`piton workspace ${again}\`, and the work done again; or bring it back and \`piton retry\`.`,
    },
  );
}

/** What is asked of the workspaces for a task that has, or is to have, a place of its own. */
function requestOf(state: RunState, task: TaskState): PlaceRequest {
  const { run, origin } = state;
  const { address, generation = 0, key, spec } = task;
  const placement = placementOf(state, task);
  if (placement.mode === 'shared') throw new Error(`${address} has no place of its own`);
  const { integrates: _, ...mode } = placement;
  return {
    run,
    task: address,
    mode,
    generation,
    token: key!,
    folder: origin?.directory ?? '.',
    ...equipmentOf(spec),
    artifactsOf: artifactSources(state, task),
    ...(isEquipped(state, task) && { isEquipped: true }),
    ...(origin?.repository !== undefined && { repository: origin.repository }),
    ...(state.tip !== undefined && { tip: state.tip }),
    ...recordOf(task),
  };
}

function isEquipped(state: RunState, task: TaskState): boolean {
  return task.workspace === undefined ? isSlotEquipped(state, task) : task.workspace.isEquipped === true;
}

function equipmentOf({ setup }: TaskSpec): Pick<PlaceRequest, 'copy' | 'caches' | 'ports'> {
  const { copy = [], caches = [], ports = 0 } = setup ?? {};
  return { copy, caches, ports };
}

type PlaceRecord = Pick<
  PlaceRequest,
  'slot' | 'known' | 'inheritedBase' | 'snapshot' | 'order' | 'isAdopted'
>;

/** What is known of the place. */
function recordOf(task: TaskState): PlaceRecord {
  const { workspace, slot, item } = task;
  const { order, snapshot, isAdopted = false } = workspace ?? {};
  return {
    isAdopted,
    ...(workspace === undefined && inheritedBy(task)),
    ...(slot !== undefined && { slot: { pool: item!.parent, number: slot } }),
    ...(workspace !== undefined && { known: placeOf(workspace) }),
    ...(snapshot !== undefined && { snapshot }),
    ...(order !== undefined && { order }),
  };
}

/** Of a fork that has not made the place yet. */
function inheritedBy({ inherited }: TaskState): Pick<PlaceRequest, 'inheritedBase' | 'snapshot'> {
  return inherited === undefined ? {} : { inheritedBase: inherited.base, snapshot: inherited.snapshot };
}

/** The same with the work that was done there; see `WorkRequest`. */
export function workOf(state: RunState, task: TaskState, request: PlaceRequest): Omit<WorkRequest, 'known'> {
  const { stage, key, startedAt: at = state.at } = task;
  const kind = kindOf(task);
  const work = { attempt: finishedOf(stage)?.by ?? key!, seq: state.seq, at };
  return { ...request, ...work, ...(kind !== undefined && { kind }) };
}

export function knownRequestOf(state: RunState, task: TaskState): KnownRequest {
  return { ...requestOf(state, task), known: placeOf(task.workspace!) };
}

function placeOf({ kind, path, token, branch, base, remote, ports }: Place): Place {
  return {
    ...(kind !== undefined && { kind }),
    path,
    token,
    ...(branch !== undefined && { branch }),
    ...(base !== undefined && { base }),
    ...(remote !== undefined && { remote }),
    ...(ports !== undefined && { ports }),
  };
}
