import { isWithin, type RunEvent } from '../../../library/index.ts';

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
