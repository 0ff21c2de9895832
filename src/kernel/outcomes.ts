import type { ErrorClass, Event, EventOf, Failure, Outcome } from '../model/index.ts';
import { agentResource, closeTried } from './breakers.ts';
import { overspent } from './budgets.ts';
import { fail } from './failures.ts';
import { released } from './released.ts';
import { onInterruptOf, type RunState, type TaskState } from './run-state.ts';
import { actionsIfMaybeDone } from './life.ts';
import { interruptionsInARow } from './in-a-row.ts';
import { doomOf } from './settle-task.ts';
import type { Success } from './succeeded.ts';
import { successEvents } from './success.ts';
import { nextStep, resultOf } from './turns.ts';
import type { World } from './world.ts';

/** So many interruptions in a row without any progress of the run, and a task is held: it may be what kills us. */
const mostInterruptions = 10;

/** What the end of a task's running attempt means. */
export function decideOutcome(
  state: RunState,
  task: TaskState,
  { outcome, world }: { outcome: Outcome; world: World },
): Event[] {
  const { address: at, life } = task;
  if (life.status !== 'running' || life.attempt === undefined) return [];
  const { settled, ended, failure } = consequence(state, task, { outcome, world });
  const isAgent = life.attempt.agent !== undefined;
  const data =
    failure === undefined ? endOf(outcome, ended) : failedEnd(outcome, { ended, failure, isAgent });
  return [{ type: 'attempt.ended', task: at, attempt: life.attempt.id, data }, ...settled];
}

function endOf(outcome: Outcome, ended: Outcome['type']): Ended {
  if (outcome.type === 'succeeded') return { outcome: ended };
  if (outcome.type === 'asked') return { outcome: ended, reason: outcome.text };
  return {
    outcome: ended,
    ...('reason' in outcome && { reason: outcome.reason }),
    ...('graceful' in outcome && { graceful: outcome.graceful }),
    ...('neverBegan' in outcome && { neverBegan: outcome.neverBegan }),
    ...('sessionLost' in outcome && { sessionLost: outcome.sessionLost }),
    ...('mayStillRun' in outcome && { mayStillRun: outcome.mayStillRun }),
    ...('boundary' in outcome && { boundary: outcome.boundary }),
  };
}

type Ended = EventOf<'attempt.ended'>['data'];

function failedEnd(
  outcome: Outcome,
  { failure, isAgent, ended }: { failure: Classified; isAgent: boolean; ended: Outcome['type'] },
): Ended {
  const { class: kind, message, network } = failure;
  // That the network fails the same way again says nothing of the task.
  const sameness = outcome.type === 'failed' && network !== true ? outcome.sameness : undefined;
  return {
    outcome: ended,
    // An agent that tries again is told.
    ...((isAgent || ended === 'delayed') && { reason: message }),
    class: kind,
    ...(network === true && { network }),
    ...(sameness !== undefined && { sameness }),
  };
}

type Classified = Failure & { readonly class: ErrorClass };

interface Consequence {
  readonly ended: Outcome['type'];
  readonly settled: readonly Event[];
  readonly failure?: Classified;
}

function consequence(
  state: RunState,
  task: TaskState,
  { outcome, world }: { outcome: Outcome; world: World },
): Consequence {
  const doom = doomOf(state, task);
  if (outcome.type === 'succeeded') return succeed(state, task, { outcome, world });
  if (outcome.type === 'failed') return fail(state, task, { outcome, world });
  if (outcome.type === 'cancelled') return { ended: 'cancelled', settled: [cancelled(task, outcome.reason)] };
  // It will not be tried again: a timer or a person would only keep the end of the run waiting.
  if (doom !== undefined) return { ended: outcome.type, settled: [cancelled(task, doom)] };
  return { ended: outcome.type, settled: goingOn(state, task, { outcome, world }) };
}

function cancelled({ address }: TaskState, reason: string): Event {
  return { type: 'task.cancelled', task: address, data: { reason } };
}

type Unfinished = Extract<Outcome, { type: 'delayed' | 'asked' | 'interrupted' }>;

/** What keeps a task from its end for now. */
function goingOn(
  state: RunState,
  task: TaskState,
  { outcome, world }: { outcome: Unfinished; world: World },
): readonly Event[] {
  const { address } = task;
  switch (outcome.type) {
    case 'delayed': {
      const { until, reason, agent } = outcome;
      if (agent !== undefined) return limit(state, task, { outcome, world });
      return [{ type: 'task.delayed', task: address, data: { until, reason } }];
    }
    case 'asked': {
      const { text, call } = outcome;
      return [{ type: 'gate.opened', task: address, data: { gate: world.mint(), text, call } }];
    }
    case 'interrupted':
      return interrupt(state, task, outcome);
  }
}

/** An agent is at its limit: every task knows from now on. Whether another may do it, is decided when it would start. */
function limit(
  { workflow }: RunState,
  task: TaskState,
  { outcome, world }: { outcome: Extract<Outcome, { type: 'delayed' }>; world: World },
): readonly Event[] {
  const { agent, reason } = outcome;
  const resource = agentResource(agent!);
  const { quietHours } = workflow.usageLimits ?? {};
  const until = quietHours === undefined ? outcome.until : world.afterQuietHours(outcome.until, quietHours);
  return [{ type: 'breaker.opened', data: { resource, until, reason } }, released(task)];
}

/** A success whose update of the state cannot be made is a failure. */
function succeed(
  state: RunState,
  task: TaskState,
  { outcome, world }: { outcome: Success; world: World },
): Consequence {
  const next = nextStep(state, task, outcome);
  const closed = closeTried(state, task, world.now);
  const placed = placeEvents(task, outcome);
  if (next !== undefined) return { ended: 'succeeded', settled: [...placed, next, ...closed] };
  const events = successEvents(state, task, { success: resultOf(task, outcome), world });
  const settled = [...placed, ...events, ...closed];
  const last = events.at(-1)!;
  if (last.type !== 'task.failed') return { ended: 'succeeded', settled };
  return { ended: 'failed', settled, failure: { ...last.data.failure, class: 'permanent' } };
}

/** What came of it besides its output. */
function placeEvents({ address: task }: TaskState, success: Success): readonly Event[] {
  const { integrated, artifacts, delivered } = success;
  if (artifacts === undefined && integrated === undefined && delivered === undefined) return [];
  return [
    ...(artifacts === undefined ? [] : [{ type: 'artifacts.kept', task, data: artifacts } as const]),
    ...(integrated === undefined ? [] : [{ type: 'workspace.integrated', task, data: integrated } as const]),
    ...(delivered === undefined ? [] : [{ type: 'run.delivered', data: delivered } as const]),
  ];
}

type Interruption = Extract<Outcome, { type: 'interrupted' }>;

/** For a fork: the attempt under way belongs to the other run, and is not gone on with here. */
export function leaveAttempt(
  state: RunState,
  task: TaskState,
  { reason, neverBegan }: { readonly reason: string; readonly neverBegan: boolean },
): Event[] {
  const { address, life } = task;
  if (life.status !== 'running' || life.attempt === undefined) return [];
  const begun = neverBegan && { neverBegan };
  const outcome: Interruption = { type: 'interrupted', reason, graceful: true, ...begun };
  const doom = doomOf(state, task);
  const settled = doom === undefined ? interrupt(state, task, outcome) : [cancelled(task, doom)];
  const data = endOf(outcome, 'interrupted');
  return [{ type: 'attempt.ended', task: address, attempt: life.attempt.id, data }, ...settled];
}

function interrupt(state: RunState, task: TaskState, outcome: Interruption): Event[] {
  const reason = reasonToHold(state, task, outcome);
  if (reason === undefined) return [];
  const all = `${reason}${overspent(state, task)}`;
  return [{ type: 'task.held', task: task.address, data: { reason: all, actions: actionsIfMaybeDone } }];
}

function reasonToHold(
  state: RunState,
  task: TaskState,
  { graceful, mayStillRun, neverBegan, reason, boundary, mayRepeat }: Partial<Interruption>,
): string | undefined {
  if (neverBegan === true) return undefined;
  if (mayStillRun === true) return `${reason}; it may still be running`;
  if (mayRepeat === false && onInterruptOf(task) !== 'restart') {
    return `it was interrupted ${boundary ?? 'at a place that is not known'}: whether that took effect, nobody knows`;
  }
  return reasonToAsk(task, graceful === true ? 0 : interruptionsInARow(state, task));
}

/** What becomes of a task whose attempt under way turns out to be interrupted. */
export function interruptionOf(
  state: RunState,
  task: TaskState,
): { readonly action: 'restart' | 'hold'; readonly reason: string } {
  const doom = doomOf(state, task);
  if (doom !== undefined) return { action: 'hold', reason: `it is not started again: ${doom}` };
  const reason = reasonToHold(state, task, {});
  if (reason !== undefined) return { action: 'hold', reason };
  return { action: 'restart', reason: restartReason(task) };
}

/** Only the conversation tells what an agent was doing, and it is read when it goes on. */
function restartReason(task: TaskState): string {
  return onInterruptOf(task) === 'continue'
    ? 'it was interrupted: in its session, or held if what it was doing may have taken effect'
    : 'it was interrupted, and may be started again';
}

function reasonToAsk(task: TaskState, inARow: number): string | undefined {
  if (onInterruptOf(task) === 'ask')
    return 'it was interrupted, and may have done its work: on-interrupt is ask';
  if (inARow < mostInterruptions) return undefined;
  return `it was interrupted ${inARow} times without any progress: it may be what ends the process`;
}
