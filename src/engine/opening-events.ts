import type { Event, LeaseOwner, RunAbout, Workflow } from '../model/index.ts';
import type { DrivenFunctions } from './driven-functions.ts';
import type { CreateOptions } from './options.ts';

type Opening = Omit<CreateOptions, 'about'> & { readonly about?: RunAbout | undefined };

export function createdEvent(workflow: Workflow, { inputs, state, origin, about }: Opening): Event {
  const data = { workflow, inputs, ...(state && { state }), ...(origin && { origin }) };
  return { type: 'run.created', data: { ...data, environment: 'base', ...(about && { about }) } };
}

export function takenEvent(
  { instance, ...process }: LeaseOwner,
  epoch: number,
  functions: DrivenFunctions = [],
): Event {
  const { host, pid, bootId, pidNamespace, startTime } = process;
  const identity = { host, bootId, pidNamespace, pid, startTime };
  return {
    type: 'lease.taken',
    data: { epoch, host, pid, instance, process: identity, ...(functions.length > 0 && { functions }) },
  };
}
