import { PitonError } from '../base/index.ts';
import type { RunState, TaskState } from '../kernel/index.ts';

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
