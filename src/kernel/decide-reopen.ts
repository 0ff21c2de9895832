import { mentionsFailure, type EventOf } from '../model/index.ts';
import { whyStale } from './beliefs.ts';
import { isSettled } from './life.ts';
import { roomFor } from './limits.ts';
import { isStanding } from './places-to-clean.ts';
import { failsItsGroup, failureCounts, membersOf } from './recount.ts';
import { itemsOf, reachOf, type Reach } from './reopen-reach.ts';
import { rerunsIn, type Rerun } from './reruns.ts';
import { scopeAt, taskAt, type RunState, type TaskState } from './run-state.ts';
import { reasonToStop } from './settle-task.ts';

/** What a person wants of a run of which tasks have settled. */
export interface Reopening {
  /** To be done again. */
  readonly again?: readonly string[];
  /** Of those, agents go on in their conversation. */
  readonly inSession?: boolean;
  /** They have failed, and the run goes on without them. */
  readonly skipped?: readonly string[];
  /** They have failed, but a person says that their work was done. */
  readonly done?: readonly string[];
  /** Succeeded tasks that may run again; `true`: all that have to. Without it, nothing that has succeeded runs again. */
  readonly rerunSucceeded?: RerunSucceeded;
  /** The version of the run that this was decided on. */
  readonly seen?: number;
}

export type RerunSucceeded = true | readonly string[];

/** First they are open again, then some of them are skipped. */
export type Reopened = readonly [EventOf<'tasks.reopened'>, ...EventOf<'task.skipped'>[]];

/** `unconfirmed`: the refusal is that these have succeeded, and would run again without anyone having agreed to it. */
export interface ReopenRefused {
  readonly refusal: string;
  readonly unconfirmed?: readonly string[];
}

/** What would run again. */
export interface Reruns {
  /** Of the run as it was looked at: see `seen`. */
  readonly version: number;
  readonly tasks: readonly Rerun[];
  /** What the run has made was handed over already, and stays there. */
  readonly delivered?: EventOf<'run.delivered'>['data'];
}

/**
 * What it takes to do settled tasks again, or to go on without them, in a run that may have ended: all that came of them is to
 * be done again too, what they are a part of goes on, and what was cancelled there is taken up. Or why that cannot be.
 */
export function decideReopen(state: RunState, wish: Reopening): { events: Reopened } | ReopenRefused {
  const { again, inSession, skipped, done } = namedIn(wish);
  const reach = reachOf(state, { again, settled: [...skipped, ...done] });
  const reset = addressesOf(reach);
  const refused = whyRefused(reach, reset.tasks, wish);
  if (refused !== undefined) return refused;
  const resetTasks = new Set(reset.tasks);
  const isReset = (address: string): boolean => resetTasks.has(address);
  const goingOn = [
    ...again.filter((address) => inSession && goesOn(taskAt(state, address))),
    // Else nobody would know any more whose place it is.
    ...[...skipped, ...done].filter((address) => isStanding(taskAt(state, address).workspace)),
  ].filter(isReset);
  const data = {
    ...reset,
    ...(goingOn.length > 0 && { inSession: goingOn }),
    reason: reasonFor({ again, skipped, done }),
  };
  return {
    events: [
      { type: 'tasks.reopened', data },
      ...skipped.filter(isReset).map((task) => ({ type: 'task.skipped', task, data: byOperator }) as const),
    ],
  };
}

/** What a wish would run again, for a person to agree to. */
export function previewReopen(state: RunState, wish: Reopening): Reruns | ReopenRefused {
  const { again, skipped, done } = namedIn(wish);
  const settled = [...skipped, ...done];
  const reach = reachOf(state, { again, settled });
  const refusal = whyStaleWish(state, wish) ?? whyNot(reach);
  if (refusal !== undefined) return { refusal };
  const tasks = addressesOf(reach).tasks.filter((address) => !settled.includes(address));
  const inOrder = tasks.sort((one, other) => taskAt(state, one).order - taskAt(state, other).order);
  const { version, delivered } = state;
  return { version, tasks: rerunsIn(state, inOrder), ...(delivered !== undefined && { delivered }) };
}

/** Named twice, it would settle twice. */
function namedIn({
  again = [],
  inSession = false,
  skipped,
  done,
}: Reopening): Required<Pick<Reopening, 'again' | 'inSession' | 'skipped' | 'done'>> {
  return { again, inSession, skipped: [...new Set(skipped)], done: [...new Set(done)] };
}

/** Of a task that has succeeded, that comes first: whatever else is in the way may have changed when somebody has agreed to it. */
function whyRefused(reach: Reach, tasks: readonly string[], wish: Reopening): ReopenRefused | undefined {
  const { state } = reach;
  const { again } = namedIn(wish);
  const refusal = whyStaleWish(state, wish);
  if (refusal !== undefined) return { refusal };
  const named = again.filter((address) => isRepeatable(state, address));
  return unconfirmedOf(state, named, wish) ?? obstacleTo(reach) ?? unconfirmedOf(state, tasks, wish);
}

function obstacleTo(reach: Reach): ReopenRefused | undefined {
  const refusal = whyNot(reach);
  return refusal === undefined ? undefined : { refusal };
}

/** The visits of a graph that have succeeded are not, whoever agrees. */
function isRepeatable(state: RunState, address: string): boolean {
  const task = state.tasks.get(address);
  return task !== undefined && (task.item !== undefined || scopeAt(state, task.scope).graph === undefined);
}

function unconfirmedOf(
  state: RunState,
  tasks: readonly string[],
  { rerunSucceeded = [] }: Reopening,
): ReopenRefused | undefined {
  if (rerunSucceeded === true) return undefined;
  const allowed = new Set(rerunSucceeded);
  const unconfirmed = rerunsIn(state, tasks)
    .filter(({ task, hasSucceeded }) => hasSucceeded && !allowed.has(task))
    .map(({ task }) => task);
  return unconfirmed.length === 0 ? undefined : { refusal: unconfirmedText(unconfirmed), unconfirmed };
}

function unconfirmedText(tasks: readonly string[]): string {
  return `what has succeeded runs again only if you ask for it (--redo): ${tasks.join(', ')}`;
}

/** In its conversation; or, since it failed, where its files are, as a person may have mended them. Others may be in a pool's. */
function goesOn({ conversation, life, spec, workspace }: TaskState): boolean {
  if (conversation.session !== undefined) return true;
  return life.status === 'failed' && spec.pool === undefined && isStanding(workspace);
}

const byOperator = { reason: 'skipped by the operator' };

function reasonFor({
  again,
  skipped,
  done,
}: Required<Pick<Reopening, 'again' | 'skipped' | 'done'>>): string {
  const parts = [
    ...(again.length > 0 ? [`to be done again: ${again.join(', ')}`] : []),
    ...(skipped.length > 0 ? [`to go on without ${skipped.join(', ')}`] : []),
    ...(done.length > 0 ? [`marked as done: ${done.join(', ')}`] : []),
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
function whyStaleWish(state: RunState, wish: Reopening): string | undefined {
  const { seen } = wish;
  if (seen !== undefined && (state.cancelledIn ?? 0) > seen)
    return 'it has been cancelled since you looked at it';
  const { again, skipped, done } = namedIn(wish);
  return whyStale(state, [...again, ...skipped, ...done], seen);
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
    const { maxFailures, failFast } = parent.spec.forEach!;
    if (failed.length > maxFailures && failFast !== false) return failed[0]!.address;
  }
  const stoppable = reopened.filter(({ item, spec }) => item === undefined && !mentionsFailure(spec.if));
  for (const scope of new Set(stoppable.map(({ scope: owner }) => scopeAt(state, owner)))) {
    if (!scope.workflow.failFast || scope.graph !== undefined) continue;
    const failed = membersOf(state, scope).find((member) => stays(member) && failureCounts(member));
    if (failed !== undefined) return failed.address;
  }
  return undefined;
}
