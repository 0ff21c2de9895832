import { mentionsFailure, type EventOf } from '../model/index.ts';
import { whyStale } from './beliefs.ts';
import { roomFor } from './limits.ts';
import { failsItsGroup, failureCounts, membersOf } from './recount.ts';
import { isStanding } from './places-to-clean.ts';
import {
  scopeAt,
  statusOfTask,
  taskAt,
  type RunState,
  type ScopeState,
  type TaskState,
} from './run-state.ts';
import { dependantsOf, reasonToStop } from './settle-task.ts';
import { gateOf, isSettled } from './life.ts';

/** What has been found so far of what must be done again. Walked through by a list: chains may be long. */
interface Reach {
  readonly state: RunState;
  readonly reset: Set<TaskState>;
  readonly continued: Set<TaskState>;
  readonly seen: Set<string>;
  readonly steps: (() => void)[];
  readonly refusals: string[];
}

/** What a person wants of a run of which tasks have settled. */
export interface Reopening {
  /** To be done again. */
  readonly again?: readonly string[];
  /** Of those, agents go on in their conversation. */
  readonly inSession?: boolean;
  /** They have failed, and the run goes on without them. */
  readonly skipped?: readonly string[];
  /** The version of the run that this was decided on. */
  readonly seen?: number;
}

/** First they are open again, then some of them are skipped. */
export type Reopened = readonly [EventOf<'tasks.reopened'>, ...EventOf<'task.skipped'>[]];

/**
 * What it takes to do settled tasks again, or to go on without them, in a run that may have ended: all that came of them is to
 * be done again too, what they are a part of goes on, and what was cancelled there is taken up. Or why that cannot be.
 */
export function decideReopen(
  state: RunState,
  { again = [], inSession = false, ...wish }: Reopening,
): { events: Reopened } | { refusal: string } {
  // Named twice, it would settle twice.
  const skipped = [...new Set(wish.skipped)];
  const reach: Reach = {
    state,
    reset: new Set(),
    continued: new Set(),
    seen: new Set(),
    steps: [],
    refusals: [],
  };
  for (const address of again) name(reach, address);
  for (const address of skipped) leave(reach, address);
  for (let step = reach.steps.pop(); step !== undefined; step = reach.steps.pop()) step();
  const refusal = whyOutdated(state, [...again, ...skipped], wish.seen) ?? whyNot(reach);
  if (refusal !== undefined) return { refusal };
  const reset = addressesOf(reach);
  const resetTasks = new Set(reset.tasks);
  const isReset = (address: string): boolean => resetTasks.has(address);
  const goingOn = [
    ...again.filter((address) => inSession && goesOn(taskAt(state, address))),
    // Else nobody would know any more whose place it is.
    ...skipped.filter((address) => isStanding(taskAt(state, address).workspace)),
  ].filter(isReset);
  const data = {
    ...reset,
    ...(goingOn.length > 0 && { inSession: goingOn }),
    reason: reasonFor(again, skipped),
  };
  return {
    events: [
      { type: 'tasks.reopened', data },
      ...skipped.filter(isReset).map((task) => ({ type: 'task.skipped', task, data: byOperator }) as const),
    ],
  };
}

/** In its conversation; or, since it failed, where its files are, as a person may have mended them. Others may be in a pool's. */
function goesOn({ conversation, life, spec, workspace }: TaskState): boolean {
  if (conversation.session !== undefined) return true;
  return life.status === 'failed' && spec.pool === undefined && isStanding(workspace);
}

const byOperator = { reason: 'skipped by the operator' };

function reasonFor(again: readonly string[], skipped: readonly string[]): string {
  const parts = [
    ...(again.length > 0 ? [`to be done again: ${again.join(', ')}`] : []),
    ...(skipped.length > 0 ? [`to go on without ${skipped.join(', ')}`] : []),
  ];
  return parts.join('; ');
}

/** What belongs to a task that is done again as a whole, comes again with it. */
function addressesOf({ state, reset, continued }: Reach): { tasks: string[]; continued: string[] } {
  const isBelow = ({ item, scope }: TaskState): boolean => {
    for (let owner = item?.parent ?? scope; owner !== '';) {
      const task = taskAt(state, owner);
      if (reset.has(task)) return true;
      owner = task.item?.parent ?? task.scope;
    }
    return false;
  };
  const list = (tasks: Iterable<TaskState>): string[] =>
    [...tasks].filter((task) => !isBelow(task)).map(({ address }) => address);
  return { tasks: list(reset), continued: list([...continued].filter((task) => !reset.has(task))) };
}

/** Of a run that somebody has had cancelled since, it would undo that. */
function whyOutdated(
  state: RunState,
  addresses: readonly string[],
  seen: number | undefined,
): string | undefined {
  if (seen !== undefined && (state.cancelledIn ?? 0) > seen)
    return 'it has been cancelled since you looked at it';
  return whyStale(state, addresses, seen);
}

function whyNot(reach: Reach): string | undefined {
  return reach.refusals[0] ?? obstacle(reach) ?? notTakenUp(reach);
}

/** What a repair has found of them may live, or have ended well: it would be begun beside that. Of what has settled nothing lives. */
function notTakenUp({ state, reset }: Reach): string | undefined {
  const isOver = state.phase.status !== 'active' && state.phase.status !== 'paused';
  const waiting = isOver
    ? undefined
    : [...reset].find(({ address, life }) => !isSettled(life) && state.spooled?.[address] !== undefined);
  return (
    waiting &&
    `${waiting.address} was begun before the repair, and is not taken up yet: let the run go on first`
  );
}

function name(reach: Reach, address: string): void {
  const task = reach.state.tasks.get(address);
  if (task === undefined) reach.refusals.push(`the run has no task ${address}`);
  else if (!cameOfNeeds(task)) reach.refusals.push(`${address} has not begun: there is nothing to do again`);
  else reset(reach, task);
}

function leave(reach: Reach, address: string): void {
  const task = reach.state.tasks.get(address);
  if (task === undefined) reach.refusals.push(`the run has no task ${address}`);
  else if (task.life.status !== 'failed') reach.refusals.push(`${address} is ${statusOfTask(task)}`);
  // To skip it would be to skip what has been done since, too.
  else if (task.spec.continueOnError)
    reach.refusals.push(`${address} may fail, and the run has gone on without it`);
  else reset(reach, task);
}

function hasBegun({ life, key }: TaskState): boolean {
  return key !== undefined || isSettled(life) || life.status === 'running';
}

function reset(reach: Reach, task: TaskState): void {
  if (reach.reset.has(task)) return;
  reach.reset.add(task);
  if (task.life.status === 'running') reach.refusals.push(`${task.address} is running`);
  else undoSettling(reach, task);
}

/** It goes on, with all in it that is not to be done again. */
function goOn(reach: Reach, task: TaskState): void {
  if (!isSettled(task.life) || reach.continued.has(task)) return;
  reach.continued.add(task);
  undoSettling(reach, task);
}

function undoSettling(reach: Reach, task: TaskState): void {
  const { state, steps } = reach;
  const scope = scopeAt(state, task.scope);
  if (scope.graph !== undefined && task.item === undefined) checkVisit(reach, task, scope);
  else if (task.item === undefined && isSettled(task.life)) followDependants(reach, task);
  steps.push(() => {
    if (task.item !== undefined) return enterGroup(reach, taskAt(state, task.item.parent));
    enterScope(reach, scope);
  });
}

function checkVisit({ refusals }: Reach, { address, life }: TaskState, { graph }: ScopeState): void {
  if (graph!.visit !== address)
    refusals.push(`only the last visit of a graph can be done again: ${graph!.visit}, not ${address}`);
  else if (life.status === 'succeeded')
    refusals.push(`${address} succeeded, and what it changed in the state stays: it cannot be done again`);
}

function followDependants(reach: Reach, task: TaskState): void {
  for (const dependant of dependantsOf(reach.state, task)) {
    if (reach.seen.has(dependant.address)) continue;
    reach.seen.add(dependant.address);
    reach.steps.push(() => {
      if (cameOfNeeds(dependant)) reset(reach, dependant);
      followDependants(reach, dependant);
    });
  }
}

/** Not so if it only waits, or is held because nobody knows whether it has begun. */
function cameOfNeeds(task: TaskState): boolean {
  const { life, approved } = task;
  return hasBegun(task) || approved || life.status === 'delayed' || gateOf(life) !== undefined;
}

function enterGroup(reach: Reach, parent: TaskState): void {
  goOn(reach, parent);
  takeUpCancelled(reach, parent.address, () => itemsOf(reach.state, parent));
}

function enterScope(reach: Reach, scope: ScopeState): void {
  if (scope.owner !== '') goOn(reach, taskAt(reach.state, scope.owner));
  takeUpCancelled(reach, `${scope.owner}.`, () => membersOf(reach.state, scope));
}

/** What was not done because of an end that is undone now. Of what consists of others, only the rest is done. */
function takeUpCancelled(reach: Reach, container: string, members: () => TaskState[]): void {
  const { state, seen } = reach;
  const entered = `in ${container}`;
  if (seen.has(entered)) return;
  seen.add(entered);
  for (const task of members()) {
    if (task.life.status !== 'cancelled' || reach.reset.has(task)) continue;
    const scope = state.scopes.get(task.address);
    if (task.group !== undefined) enterGroup(reach, task);
    else if (scope !== undefined) enterScope(reach, scope);
    else reset(reach, task);
  }
}

function itemsOf(state: RunState, { group }: TaskState): TaskState[] {
  return group!.items.map((address) => taskAt(state, address));
}

/** What would stop them right away, or they would run beside. */
function obstacle(reach: Reach): string | undefined {
  const { state, reset, continued } = reach;
  const { status } = state.phase;
  const isActive = status === 'active' || status === 'paused';
  if (isActive && scopeAt(state, '').cancelling?.failFast === false) return 'the run is being cancelled';
  const stopping = isActive ? stillStopping(state) : undefined;
  if (stopping !== undefined) return `${stopping} is still being stopped: try again when it has ended`;
  const failed = stillFailed(reach);
  if (failed !== undefined)
    return `${failed} has failed too, and would stop again what is near it: do these again together`;
  return roomFor(
    state,
    [...continued].filter((task) => !reset.has(task) && task.group === undefined),
  );
}

function stillStopping(state: RunState): string | undefined {
  return [...state.tasks.values()].find(
    (task) =>
      task.life.status === 'running' &&
      task.life.attempt !== undefined &&
      reasonToStop(state, task) !== undefined,
  )?.address;
}

/** What keeps others from being started, by fail-fast or as one failed item too many. */
function stillFailed({ state, reset, continued }: Reach): string | undefined {
  const reopened = [...new Set([...reset, ...continued])];
  const stays = (task: TaskState): boolean => !reset.has(task) && !continued.has(task);
  const parents = new Set(reopened.flatMap(({ item }) => item?.parent ?? []));
  for (const parent of [...parents].map((address) => taskAt(state, address))) {
    const failed = itemsOf(state, parent).filter((item) => stays(item) && failsItsGroup(item));
    if (failed.length > parent.spec.forEach!.maxFailures) return failed[0]!.address;
  }
  const stoppable = reopened.filter(({ item, spec }) => item === undefined && !mentionsFailure(spec.if));
  for (const scope of new Set(stoppable.map(({ scope: owner }) => scopeAt(state, owner)))) {
    if (!scope.workflow.failFast || scope.graph !== undefined) continue;
    const failed = membersOf(state, scope).find((member) => stays(member) && failureCounts(member));
    if (failed !== undefined) return failed.address;
  }
  return undefined;
}
