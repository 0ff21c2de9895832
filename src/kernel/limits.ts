import { Limit } from './agenda.ts';
import { scopesAround, type RunState, type TaskState } from './run-state.ts';

/**
 * What a task occupies while it runs: its locks, a slot among the items of its for-each, a slot in every scope around it.
 * All are taken at once or none, and what holds them while it waits for others (a for-each item with a body of its own,
 * which takes an item's slot alone) never waits for the same kind: there is no deadlock.
 *
 * A task that must wait is parked at the first resource that is taken; a release wakes one waiter, and a woken waiter
 * that does not take what it was woken for wakes the next.
 */
export function limitsOf(state: RunState, task: TaskState): Limit[] {
  const limits = task.spec.locks.map((lock) => limit(state, `lock:${lock}`, 1));
  if (task.item !== undefined)
    addLimit(limits, state, [`items:${task.item.parent}`, task.spec.forEach?.maxParallel]);
  if (task.spec.work.type === 'workflow') return limits;
  for (const scope of scopesAround(state, task)) {
    addLimit(limits, state, [`scope:${scope.owner}`, scope.workflow.maxParallel]);
  }
  return limits;
}

function addLimit(limits: Limit[], state: RunState, [name, capacity]: [string, number | undefined]): void {
  if (capacity !== undefined) limits.push(limit(state, name, capacity));
}

function limit(state: RunState, name: string, capacity: number): Limit {
  const known = state.agenda.limits.get(name);
  if (known !== undefined) return known;
  const made = new Limit(capacity);
  state.agenda.limits.set(name, made);
  return made;
}

export function acquire(state: RunState, task: TaskState): void {
  for (const limit of limitsOf(state, task)) limit.used++;
}

export function release(state: RunState, task: TaskState): void {
  for (const limit of limitsOf(state, task)) {
    limit.used--;
    wakeOne(state, limit);
  }
}

/** True if it may start now; else it has been parked. */
export function mayStart(state: RunState, task: TaskState): boolean {
  const limits = limitsOf(state, task);
  const taken = limits.find((limit) => !limit.isFree);
  if (taken === undefined) return true;
  taken.waiting.push(task);
  for (const limit of limits) if (limit.isFree) wakeOne(state, limit);
  return false;
}

/** A task that was woken and turned out not to need it. */
export function passOn(state: RunState, task: TaskState): void {
  for (const limit of limitsOf(state, task)) if (limit.isFree) wakeOne(state, limit);
}

function wakeOne(state: RunState, limit: Limit): void {
  const next = limit.waiting.pop();
  if (next !== undefined) state.agenda.ready.push(next);
}
