import { taskAt, type RunState } from '../kernel/index.ts';
import { isProcess, type Event } from '../model/index.ts';

/**
 * Whether these have to be durable before anything acts on them, whatever the checkpoint policy. Whether something had begun must be
 * known for certain, if going on could do harm twice, or it outlives us; and a place is removed only for an end that nobody forgets.
 */
export function mustBeCertain(state: RunState, events: readonly Event[]): boolean {
  return events.some((event) => {
    if (event.type !== 'attempt.started' && event.type !== 'task.succeeded') return false;
    const { spec, workspace } = taskAt(state, event.task);
    if (event.type === 'task.succeeded') return workspace !== undefined;
    return spec.onInterrupt === 'ask' || isProcess(spec.work);
  });
}

/**
 * Whether these are to be known outside of the journal too before anything acts on them: what people have decided, and
 * functions that must not be done twice. Processes are written down when they are prepared.
 */
export function mustBeWitnessed(state: RunState, events: readonly Event[]): boolean {
  return events.some((event) => {
    if (event.type === 'command.decided') return event.data.accepted;
    if (event.type === 'tasks.reopened') return true;
    if (event.type !== 'attempt.started') return false;
    const { spec } = taskAt(state, event.task);
    return spec.onInterrupt === 'ask' && !isProcess(spec.work);
  });
}
