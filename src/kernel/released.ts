import type { Event } from '../model/index.ts';
import type { TaskState } from './run-state.ts';

/** A person lets it go on, or something else than itself kept it from that. */
export function released({ address }: TaskState): Event {
  return { type: 'task.released', task: address, data: {} };
}
