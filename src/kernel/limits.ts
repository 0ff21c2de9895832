import type { Workflow } from '../model/index.ts';
import { Lane, Limit } from './agenda.ts';
import { placementOf, writesAlone } from './placement.ts';
import { kindOf, scopeAt, taskAt, type RunState, type TaskState } from './run-state.ts';
import { maxParallelOf } from './limits-in-force.ts';
import { finishedOf, proposalOf } from './stage.ts';
import { nextKind } from './turns.ts';

/**
 * What a task occupies while it runs: its locks, a slot among the items of its for-each, a slot in every scope around it.
 * All are taken at once or none, and what holds some while its own tasks wait for others (a task with tasks of its own)
 * never holds what these wait for: there is no deadlock.
 *
 * Who must wait, waits in the lane of those who need the same, and the lane is parked at the first limit that is taken.
 * A release wakes one lane, that is its first task; a woken task that does not take what it was woken for wakes the next.
 * So a release costs the same however many tasks wait.
 */
function laneOf(state: RunState, task: TaskState): Lane<TaskState> {
  const needed = limitsNeeded(state, task);
  if (needed.length === 0) return unlimited;
  const key = JSON.stringify(needed.map(([name]) => name));
  const { lanes } = state.agenda;
  let lane = lanes.get(key);
  if (lane === undefined) lanes.set(key, (lane = new Lane(needed.map((needed) => limitOf(state, needed)))));
  return lane;
}

/** Nobody ever waits in it. */
const unlimited = new Lane<TaskState>([]);

type Needed = readonly [name: string, capacity: number];

function limitsNeeded(state: RunState, task: TaskState): Needed[] {
  const { item, spec } = task;
  const needed = lockNames(state, task).map((name): Needed => [name, 1]);
  if (item !== undefined && spec.forEach?.maxParallel !== undefined)
    needed.push([`items:${item.parent}`, spec.forEach.maxParallel]);
  if (spec.work.type === 'workflow') return needed;
  addPlaceLimits(needed, state, task);
  // Not by the generator: this is asked several times at every step.
  for (let scope = scopeAt(state, task.scope); ; scope = scopeAt(state, taskAt(state, scope.owner).scope)) {
    const { owner } = scope;
    const most = maxParallelOf(state, scope);
    if (most !== undefined) needed.push([`scope:${owner}`, most]);
    if (owner === '') return needed;
  }
}

/** The first two it keeps between its attempts, once it has them. */
function addPlaceLimits(needed: Needed[], state: RunState, task: TaskState): void {
  const { item, spec, slot, isAside } = task;
  if (item !== undefined && spec.pool !== undefined && (slot === undefined || isAside === true))
    needed.push([poolLimit(item.parent), spec.pool]);
  if (isMerging(state, task)) needed.push([mergeLimit, 1]);
  if (writesAlone(state, task)) needed.push(['folder', 1]);
}

export function poolLimit(parent: string): string {
  return `pool:${parent}`;
}

/** Each is merged with what the one before has left. */
export const mergeLimit = 'merge';

/** It brings in what it made; what it proposed before, it holds already. */
function isMerging(state: RunState, task: TaskState): boolean {
  const { life, stage } = task;
  if (proposalOf(stage) !== undefined) return false;
  if (finishedOf(stage) === undefined && life.status !== 'running') return false;
  const kind = life.status === 'running' ? kindOf(task) : nextKind(state, task);
  const placement = kind === 'integrate' ? placementOf(state, task) : undefined;
  return placement !== undefined && 'integrates' in placement && placement.integrates;
}

/** What can keep a task that could start from starting. */
export type LimitKind = 'lock' | 'items' | 'parallelism' | 'pool' | 'merge' | 'folder';

const limitKinds: Readonly<Record<string, LimitKind>> = {
  lock: 'lock',
  items: 'items',
  scope: 'parallelism',
  pool: 'pool',
  merge: 'merge',
  folder: 'folder',
};

/** What a limit is of. A lock is known by its own name, below whoever holds it for all of its tasks. */
export function limitNamed(limit: string): { readonly kind: LimitKind; readonly name?: string } {
  const [prefix, rest = ''] = splitAt(limit);
  const kind = limitKinds[prefix]!;
  const name = kind === 'lock' ? splitAt(rest)[1]! : rest;
  return name === '' ? { kind } : { kind, name };
}

function splitAt(text: string): [string, string?] {
  const at = text.indexOf(':');
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** The first limit that has no room for a task. */
export function takenLimit(state: RunState, task: TaskState): string | undefined {
  const { limits } = state.agenda;
  return limitsNeeded(state, task).find(([name, most]) => (limits.get(name)?.used ?? 0) >= most)?.[0];
}

/** The tasks that use up each limit. */
export function holdersOfLimits(state: RunState): ReadonlyMap<string, readonly string[]> {
  const holders = new Map<string, string[]>();
  for (const task of state.tasks.values()) {
    for (const limit of heldBy(state, task)) {
      const known = holders.get(limit);
      if (known === undefined) holders.set(limit, [task.address]);
      else known.push(task.address);
    }
  }
  return holders;
}

function heldBy(state: RunState, task: TaskState): readonly string[] {
  const { life, slot, isAside, item, group, stage } = task;
  const isAtWork = life.status === 'running' && group === undefined;
  const held = isAtWork ? limitsNeeded(state, task).map(([name]) => name) : [];
  if (proposalOf(stage) !== undefined) held.push(mergeLimit);
  if (slot !== undefined && isAside !== true) held.push(poolLimit(item!.parent));
  return held;
}

/** Takes one of these, to be kept over several attempts. */
export function keep(state: RunState, name: string, capacity: number): void {
  limitOf(state, [name, capacity]).used++;
}

/** And gives it back. */
export function giveUp(state: RunState, name: string): void {
  const limit = state.agenda.limits.get(name);
  if (limit === undefined) return;
  limit.used--;
  wakeOne(state, limit);
}

/**
 * A task with tasks of its own keeps its locks until all of these have settled. It takes theirs along with its own, and
 * below it they are a matter among its own tasks: nobody who holds a lock waits for one that somebody else may hold.
 */
function lockNames(state: RunState, task: TaskState): string[] {
  const { locks, work } = task.spec;
  if (locks.length === 0) return [];
  const holder = lockHolderAround(state, task);
  const all = work.type === 'workflow' ? locksWithin(work.workflow, new Set(locks)) : new Set(locks);
  return [...all].map((lock) => `lock:${holder}:${lock}`);
}

function lockHolderAround(state: RunState, task: TaskState): string {
  for (let owner = task.scope; owner !== ''; owner = taskAt(state, owner).scope) {
    if (taskAt(state, owner).spec.locks.length > 0) return owner;
  }
  return '';
}

function locksWithin(workflow: Workflow, locks: Set<string>): Set<string> {
  for (const spec of workflow.tasks) {
    for (const lock of spec.locks) locks.add(lock);
    if (spec.work.type === 'workflow') locksWithin(spec.work.workflow, locks);
  }
  return locks;
}

function limitOf(state: RunState, [name, capacity]: Needed): Limit<TaskState> {
  const known = state.agenda.limits.get(name);
  if (known !== undefined) return known;
  const made = new Limit<TaskState>(capacity);
  state.agenda.limits.set(name, made);
  return made;
}

export function acquire(state: RunState, task: TaskState): void {
  for (const limit of laneOf(state, task).limits) limit.used++;
}

export function release(state: RunState, task: TaskState): void {
  for (const limit of laneOf(state, task).limits) {
    limit.used--;
    wakeOne(state, limit);
  }
}

/** Which of these tasks cannot have what they occupy all at once, besides what others occupy, if one cannot. */
export function roomFor(state: RunState, tasks: readonly TaskState[]): string | undefined {
  const used = new Map<string, number>();
  for (const task of tasks) {
    for (const [name, capacity] of limitsNeeded(state, task)) {
      const taken = used.get(name) ?? state.agenda.limits.get(name)?.used ?? 0;
      if (taken >= capacity) return `${task.address} cannot go on now: others hold what it needs (${name})`;
      used.set(name, taken + 1);
    }
  }
  return undefined;
}

/** True if it may start now; else it has been parked. */
export function mayStart(state: RunState, task: TaskState): boolean {
  const lane = laneOf(state, task);
  leaveLane(state, task, lane);
  const taken = lane.limits.find((limit) => !limit.isFree);
  if (taken === undefined) {
    callNext(state, lane);
    return true;
  }
  lane.waiting.push(task);
  state.agenda.waitsIn.set(task.address, lane);
  park(lane, taken);
  wakeFree(state, lane);
  return false;
}

/** A task had its turn and takes nothing: others may. */
export function passOn(state: RunState, task: TaskState): void {
  const lane = laneOf(state, task);
  leaveLane(state, task, lane);
  callNext(state, lane);
  wakeFree(state, lane);
}

/** What it needs may have become something else while it waited: then it has to pass on there, too. */
function leaveLane(state: RunState, { address }: TaskState, lane: Lane<TaskState>): void {
  const { waitsIn } = state.agenda;
  const before = waitsIn.get(address);
  if (before === undefined) return;
  waitsIn.delete(address);
  if (before === lane) return;
  callNext(state, before);
  wakeFree(state, before);
}

function park(lane: Lane<TaskState>, at: Limit<TaskState>): void {
  lane.parkedAt = at;
  at.parked.push({ lane, first: lane.waiting.peek()! });
}

function wakeFree(state: RunState, { limits }: Lane<TaskState>): void {
  for (const limit of limits) if (limit.isFree) wakeOne(state, limit);
}

function wakeOne(state: RunState, limit: Limit<TaskState>): void {
  for (let next = limit.parked.pop(); next !== undefined; next = limit.parked.pop()) {
    const { lane, first } = next;
    if (lane.parkedAt !== limit || lane.waiting.peek() !== first) continue;
    lane.parkedAt = undefined;
    return callNext(state, lane);
  }
}

function callNext(state: RunState, lane: Lane<TaskState>): void {
  const first = lane.parkedAt === undefined ? lane.waiting.pop() : undefined;
  if (first !== undefined) state.agenda.ready.push(first);
}
