import type { Event, Failure, Outcome } from '../model/index.ts';
import { retryDelay } from './retry.ts';
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
  const { settled, ended } = consequence(state, task, { outcome, world });
  const data = {
    outcome: ended,
    ...('reason' in outcome && { reason: outcome.reason }),
    ...('graceful' in outcome && { graceful: outcome.graceful }),
  };
  return [{ type: 'attempt.ended', task: at, attempt: life.attempt.id, data }, ...settled];
}

interface Consequence {
  readonly ended: Outcome['type'];
  readonly settled: readonly Event[];
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
      return { ended: 'failed', settled: [fail(state, task, { failure: outcome.failure, world })] };
    case 'delayed': {
      const { until, reason } = outcome;
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

/** A success whose update of the state cannot be made is a failure. */
function succeed(
  state: RunState,
  task: TaskState,
  { outcome, world }: { outcome: Success; world: World },
): Consequence {
  const settled = successEvents(state, task, { success: outcome, world });
  return { ended: settled.at(-1)!.type === 'task.failed' ? 'failed' : 'succeeded', settled };
}

function fail(
  state: RunState,
  task: TaskState,
  { failure, world }: { failure: Failure; world: World },
): Event {
  const failures = task.failures + 1;
  const delay =
    doomOf(state, task) === undefined
      ? retryDelay(task.spec.retry, { failure, failures, chance: world.chance() })
      : undefined;
  if (delay === undefined || task.spec.onInterrupt === 'ask') {
    return { type: 'task.failed', task: task.address, data: { failure } };
  }
  const reason = `attempt ${task.attempts} failed: ${failure.message}`;
  return { type: 'task.delayed', task: task.address, data: { until: world.now + delay, reason } };
}

type Interruption = Extract<Outcome, { type: 'interrupted' }>;

function interrupt(state: RunState, task: TaskState, { graceful, mayStillRun }: Interruption): Event[] {
  const stillRuns = 'it did not stop when it was asked to, and may still be running';
  const inARow = graceful === true ? 0 : interruptionsInARow(state, task);
  const reason = mayStillRun === true ? stillRuns : reasonToAsk(task, inARow);
  if (reason === undefined) return [];
  return [{ type: 'task.held', task: task.address, data: { reason, actions: ['retry', 'skip'] } }];
}

function reasonToAsk(task: TaskState, inARow: number): string | undefined {
  if (task.spec.onInterrupt === 'ask')
    return 'it was interrupted, and may have done its work: on-interrupt is ask';
  if (inARow < mostInterruptions) return undefined;
  return `it was interrupted ${inARow} times without any progress: it may be what ends the process`;
}
