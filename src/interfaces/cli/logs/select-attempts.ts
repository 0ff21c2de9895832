import { nearest, PitonError } from '../../../base/index.ts';
import type { RunEvent } from '../../../library/index.ts';

export interface AttemptChoice {
  /** An address, or the name of a task with all that it consists of. */
  readonly task?: string | undefined;
  readonly number?: number | undefined;
}

/** Whether an event is about what was asked for. */
export function isChosen(event: RunEvent, { task, number }: AttemptChoice): boolean {
  if (task !== undefined && (!('task' in event) || !isWithin(event.task ?? '', task))) return false;
  return number === undefined || event.type !== 'attempt.started' || event.data.number === number;
}

/** `build[ui]`, `build.test` and `build#2` are of `build`. */
export function isWithin(address: string, task: string): boolean {
  return address === task || (address.startsWith(task) && '[.#'.includes(address.charAt(task.length)));
}

/** A name that no task has is more likely misspelt than silent. */
export function assertTask(task: string, known: readonly string[]): void {
  if (known.some((address) => isWithin(address, task))) return;
  const close = nearest(task, known);
  throw new PitonError('TASK_UNKNOWN', `The run has no task ${task}.`, {
    task,
    remedy: close === undefined ? `It has ${known.slice(0, 20).join(', ')}.` : `Did you mean ${close}?`,
  });
}
