import { taskAt, type RunState } from '../kernel/index.ts';
import { isProcess, type Event } from '../model/index.ts';

/**
 * The task for which these have to be durable before anything acts on them, whatever the checkpoint policy. Whether something had begun
 * must be known for certain, if going on could do harm twice, or it outlives us; and a place is removed only for an end that nobody forgets.
 */
export function mustBeCertain(state: RunState, events: readonly Event[]): string | undefined {
  for (const event of events) {
    if (event.type !== 'attempt.started' && event.type !== 'task.succeeded') continue;
    const { spec, workspace, address } = taskAt(state, event.task);
    const isEnd = event.type === 'task.succeeded';
    if (isEnd ? workspace !== undefined : spec.onInterrupt === 'ask' || isProcess(spec.work)) return address;
  }
  return undefined;
}

/**
 * Whether these are to be known outside of the journal too before anything acts on them: what people have decided, and
 * functions that must not be done twice. Processes are written down when they are prepared.
 */
export function mustBeWitnessed(state: RunState, events: readonly Event[]): boolean {
  return events.some((event) => {
    if (event.type === 'command.decided') return event.data.accepted;
    if (event.type === 'tasks.reopened' || event.type === 'drift.accepted') return true;
    if (event.type !== 'attempt.started') return false;
    const { spec } = taskAt(state, event.task);
    return spec.onInterrupt === 'ask' && !isProcess(spec.work);
  });
}
