import { nearest, PitonError } from '../base/index.ts';
import type { RunState, TaskState } from '../kernel/index.ts';
import { isWithin } from '../views/index.ts';

/** Throws `TASK_UNKNOWN`. */
export function taskOf(state: RunState, address: string): TaskState {
  const task = state.tasks.get(address);
  if (task !== undefined) return task;
  throw new PitonError('TASK_UNKNOWN', `Run ${state.run} has no task ${address}.`, {
    run: state.run,
    task: address,
    remedy: `See its tasks: piton show ${state.run}.`,
  });
}

/** A name that no task has is more likely misspelt than silent. `task`: an address, or what it begins with. Throws `TASK_UNKNOWN`. */
export function assertTask(task: string, known: readonly string[]): void {
  if (known.some((address) => isWithin(address, task))) return;
  const close = nearest(task, known);
  throw new PitonError('TASK_UNKNOWN', `The run has no task ${task}.`, {
    task,
    remedy: close === undefined ? `It has ${known.slice(0, 20).join(', ')}.` : `Did you mean ${close}?`,
  });
}
