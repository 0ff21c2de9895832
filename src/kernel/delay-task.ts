import type { RunState, TaskState } from './run-state.ts';
import { setLife } from './settle-task.ts';
import { type DelayedLife } from './life.ts';

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

/** The wall clock was set back: what was to happen in a minute must not happen in a day. Forward: then it is due earlier, and no harm is done. */
export function shiftTimers(state: RunState, ms: number): void {
  if (ms >= 0) return;
  for (const task of state.tasks.values()) {
    if (task.life.status === 'delayed') delayTask(state, task, { ...task.life, until: task.life.until + ms });
  }
  for (const breaker of state.breakers.values()) {
    if (breaker.open !== undefined) breaker.open = { ...breaker.open, until: breaker.open.until + ms };
  }
}
