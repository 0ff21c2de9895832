import { taskAt, type RunState } from '../kernel/index.ts';
import type { Event } from '../model/index.ts';
import { isProcess } from './is-process.ts';

/**
 * Whether these have to be durable before anything acts on them, whatever the checkpoint policy. Whether something had begun must be
 * known for certain, if going on could do harm twice, or it outlives us; and a place is removed only for an end that nobody forgets.
 */
export function mustBeCertain(state: RunState, events: readonly Event[]): boolean {
  return events.some((event) => {
    if (event.type !== 'attempt.started' && event.type !== 'task.succeeded') return false;
    const { spec, workspace } = taskAt(state, event.task);
    if (event.type === 'task.succeeded') return workspace !== undefined;
    return spec.onInterrupt === 'ask' || isProcess(spec);
  });
}
