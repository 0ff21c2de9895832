import type { Event, LeaseOwner, Workflow } from '../model/index.ts';
import type { CreateOptions } from './options.ts';

export function createdEvent(workflow: Workflow, { inputs, state, origin }: CreateOptions): Event {
  const data = { workflow, inputs, ...(state && { state }), ...(origin && { origin }) };
  return { type: 'run.created', data: { ...data, environment: 'base' } };
}

export function takenEvent({ instance, ...process }: LeaseOwner, epoch: number): Event {
  const { host, pid, bootId, pidNamespace, startTime } = process;
  const identity = { host, bootId, pidNamespace, pid, startTime };
  return { type: 'lease.taken', data: { epoch, host, pid, instance, process: identity } };
}
