import type { RunState, TaskState } from './run-state.ts';
import { setLife } from './settle-task.ts';
import { gateOf, type DelayedLife, type Gate } from './life.ts';

/** Puts a task on the list of those that wait for their time. An older entry of it is stale, and does no harm. */
export function delayTask(state: RunState, task: TaskState, life: DelayedLife): void {
  setLife(state, task, life);
  expectTask(state, task.address, life);
}

export function expectTask({ agenda }: RunState, address: string, { until, waitsFor }: DelayedLife): void {
  agenda.delayed.push({ until, address });
  if (waitsFor.type !== 'resource') return;
  const { resource } = waitsFor;
  const waiting = agenda.waiting.get(resource);
  if (waiting === undefined) agenda.waiting.set(resource, new Set([address]));
  else waiting.add(address);
}

/** Puts a question that has a deadline on the same list. */
export function expectAnswer({ agenda }: RunState, { address, life }: TaskState): void {
  const until = gateOf(life)?.question?.until;
  if (until !== undefined) agenda.delayed.push({ until, address });
}

/** The wall clock was set back: what was to happen in a minute must not happen in a day. Forward: then it is due earlier, and no harm is done. */
export function shiftTimers(state: RunState, ms: number): void {
  if (ms >= 0) return;
  for (const task of state.tasks.values()) {
    if (task.life.status === 'delayed') delayTask(state, task, { ...task.life, until: task.life.until + ms });
    else shiftDeadline(state, task, ms);
  }
  for (const breaker of state.breakers.values()) {
    if (breaker.open !== undefined) breaker.open = { ...breaker.open, until: breaker.open.until + ms };
  }
}

function shiftDeadline(state: RunState, task: TaskState, ms: number): void {
  const { life } = task;
  const gate = gateOf(life);
  if (gate?.question?.until === undefined) return;
  const question = { ...gate.question, until: gate.question.until + ms };
  if (life.status === 'held' && life.waitsFor.type === 'gate')
    setLife(state, task, { ...life, waitsFor: { ...life.waitsFor, question } });
  else setAsks(state, task, { ...gate, question });
  expectAnswer(state, task);
}

/** What the function of a running attempt waits to be told; undefined: nothing any more. */
export function setAsks(state: RunState, task: TaskState, asks: Gate | undefined): void {
  const { life } = task;
  if (life.status !== 'running' || life.attempt === undefined) return;
  const { asks: _, ...attempt } = life.attempt;
  setLife(state, task, {
    status: 'running',
    attempt: asks === undefined ? attempt : { ...attempt, asks },
  });
}
