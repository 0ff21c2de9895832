import { hasCode, livenessOf } from '../base/index.ts';
import type { Lease } from '../model/index.ts';
import { findLease, type Store, type TakeLeaseRequest } from '../store/index.ts';
import type { EnginePorts } from './options.ts';

type Taking = ReturnType<Store['takeLease']>;

/**
 * Takes a lease that is free or has run out; also one of a holder that is gone for good, since nobody has to wait for the dead. Gives
 * the lease, or that of whoever has it.
 */
export async function takeLease(
  { store, owner, leaseMs }: Pick<EnginePorts, 'store' | 'owner' | 'leaseMs'>,
  asked: Pick<TakeLeaseRequest, 'name' | 'token' | 'run'>,
  isGone: (holder: Lease) => boolean | Promise<boolean> = isDead,
): Taking {
  const request = { ...asked, owner, leaseMs };
  const first = await takeIfFree(store, request);
  if (first.taken || !(await isGone(first.lease))) return first;
  return store.takeLease({ ...request, replaces: first.lease.token });
}

/** Whoever was stopped in the middle of a write keeps everybody else from writing: it is named, and can be ended. */
async function takeIfFree(store: Store, request: TakeLeaseRequest): Taking {
  try {
    return await store.takeLease(request);
  } catch (thrown) {
    const lease = hasCode(thrown, 'STORE_BUSY') ? await findLease(store, request.name) : undefined;
    if (lease === undefined || livenessOf(lease.owner) !== 'stopped') throw thrown;
    return { taken: false, lease };
  }
}

export function isDead({ owner }: Lease): boolean {
  return livenessOf(owner) === 'dead';
}

/** What becomes of a process on another machine is only known by its lease. */
export function mayLive({ owner, isExpired }: Lease): boolean {
  const seen = livenessOf(owner);
  return seen === 'unknown' ? !isExpired : seen !== 'dead';
}
