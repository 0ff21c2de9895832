import type { ErrorClass, Event, EventOf, Failure, Outcome } from '../model/index.ts';
import { agentResource } from './agent-start.ts';
import { closeTried, tripBreakers, type ResourceWait } from './breakers.ts';
import { classify } from './classify.ts';
import { isRetried, retryDelay } from './retry.ts';
import { interruptionsInARow, type RunState, type TaskState } from './run-state.ts';
import { doomOf } from './settle-task.ts';
import { successEvents, type Success } from './success.ts';
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
  const { settled, ...end } = consequence(state, task, { outcome, world });
  const data = endOf(outcome, end);
  return [{ type: 'attempt.ended', task: at, attempt: life.attempt.id, data }, ...settled];
}

function endOf(
  outcome: Outcome,
  { ended, failure }: Omit<Consequence, 'settled'>,
): EventOf<'attempt.ended'>['data'] {
  if (failure !== undefined) {
    const { class: kind, message } = failure;
    return { outcome: ended, ...(ended === 'delayed' && { reason: message }), class: kind };
  }
  return {
    outcome: ended,
    ...('reason' in outcome && { reason: outcome.reason }),
    ...('graceful' in outcome && { graceful: outcome.graceful }),
    ...('neverBegan' in outcome && { neverBegan: outcome.neverBegan }),
    ...('sessionLost' in outcome && { sessionLost: outcome.sessionLost }),
    ...('boundary' in outcome && { boundary: outcome.boundary }),
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
  const { address } = task;
  const doom = doomOf(state, task);
  if (doom !== undefined && (outcome.type === 'delayed' || outcome.type === 'interrupted')) {
    // It will not be tried again: a timer or a person would only keep the end of the run waiting.
    return {
      ended: outcome.type,
      settled: [{ type: 'task.cancelled', task: address, data: { reason: doom } }],
    };
  }
  switch (outcome.type) {
    case 'succeeded':
      return succeed(state, task, { outcome, world });
    case 'failed':
      return fail(state, task, { failure: outcome.failure, world });
    case 'delayed': {
      const { until, reason } = outcome;
      if (outcome.agent !== undefined) return { ended: 'delayed', settled: limit(task, outcome) };
      return {
        ended: 'delayed',
        settled: [{ type: 'task.delayed', task: address, data: { until, reason } }],
      };
    }
    case 'cancelled':
      return {
        ended: 'cancelled',
        settled: [{ type: 'task.cancelled', task: address, data: { reason: outcome.reason } }],
      };
    case 'interrupted':
      return { ended: 'interrupted', settled: interrupt(state, task, outcome) };
  }
}

/** An agent is at its limit: every task knows from now on. Whether another may do it, is decided when it would start. */
function limit(
  { address }: TaskState,
  { agent, until, reason }: Extract<Outcome, { type: 'delayed' }>,
): readonly Event[] {
  const resource = agentResource(agent!);
  return [
    { type: 'breaker.opened', data: { resource, until, reason } },
    { type: 'task.released', task: address, data: {} },
  ];
}

/** A success whose update of the state cannot be made is a failure. */
function succeed(
  state: RunState,
  task: TaskState,
  { outcome, world }: { outcome: Success; world: World },
): Consequence {
  const events = successEvents(state, task, { success: outcome, world });
  const settled = [...events, ...closeTried(state, task)];
  const last = events.at(-1)!;
  if (last.type !== 'task.failed') return { ended: 'succeeded', settled };
  return { ended: 'failed', settled, failure: { ...last.data.failure, class: 'permanent' } };
}

function fail(
  state: RunState,
  task: TaskState,
  { failure: given, world }: { failure: Failure; world: World },
): Consequence {
  const failure = { ...given, class: classify(given, task.spec.errors ?? []) };
  if (failure.class !== 'transient') {
    const next = tryAgain(state, task, { failure, world });
    return { ended: 'failed', settled: [next, ...closeTried(state, task)], failure };
  }
  const { opened, wait } = tripBreakers(state, task, { failure, now: world.now });
  if (wait === undefined || !mayTryAgain(state, task, failure)) {
    return { ended: 'failed', settled: [tryAgain(state, task, { failure, world }), ...opened], failure };
  }
  // The resource is out of order, not the task: waiting for it uses up no try.
  return { ended: 'delayed', settled: [delayed(task, wait), ...opened], failure };
}

function delayed(task: TaskState, data: ResourceWait | { until: number; reason: string }): Event {
  return { type: 'task.delayed', task: task.address, data };
}

function mayTryAgain(state: RunState, task: TaskState, failure: Failure): boolean {
  const { onInterrupt, retry } = task.spec;
  return onInterrupt !== 'ask' && doomOf(state, task) === undefined && isRetried(retry, failure);
}

function tryAgain(
  state: RunState,
  task: TaskState,
  { failure, world }: { failure: Failure; world: World },
): Event {
  const failures = task.failures + 1;
  const delay = mayTryAgain(state, task, failure)
    ? retryDelay(task.spec.retry, { failure, failures, chance: world.chance() })
    : undefined;
  if (delay === undefined) return { type: 'task.failed', task: task.address, data: { failure } };
  const kind = failure.class === 'unknown' ? '' : ` (${failure.class})`;
  const reason = `attempt ${task.attempts} failed${kind}: ${failure.message}`;
  return delayed(task, { until: world.now + delay, reason });
}

type Interruption = Extract<Outcome, { type: 'interrupted' }>;

function interrupt(state: RunState, task: TaskState, outcome: Interruption): Event[] {
  const reason = reasonToHold(state, task, outcome);
  if (reason === undefined) return [];
  return [{ type: 'task.held', task: task.address, data: { reason, actions: ['retry', 'skip'] } }];
}

function reasonToHold(
  state: RunState,
  task: TaskState,
  { graceful, mayStillRun, neverBegan, reason, boundary, mayRepeat }: Partial<Interruption>,
): string | undefined {
  if (neverBegan === true) return undefined;
  if (mayStillRun === true) return `${reason}; it may still be running`;
  if (mayRepeat === false && task.spec.onInterrupt !== 'restart') {
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
  return { action: 'restart', reason: 'it was interrupted, and may be started again' };
}

function reasonToAsk(task: TaskState, inARow: number): string | undefined {
  if (task.spec.onInterrupt === 'ask')
    return 'it was interrupted, and may have done its work: on-interrupt is ask';
  if (inARow < mostInterruptions) return undefined;
  return `it was interrupted ${inARow} times without any progress: it may be what ends the process`;
}
