import type { LeaseOwner } from '../../model/index.ts';
import { record } from './rows.ts';

/** As it is written in the row of a lease. */
export function toOwner(json: string): LeaseOwner {
  const owner = record(json, 'owner', {
    host: 'string',
    bootId: 'string',
    pidNamespace: 'string',
    pid: 'number',
    startTime: 'string',
    instance: 'string',
  });
  return Object.freeze(owner) as unknown as LeaseOwner;
}
