import type { Lease } from '../../model/index.ts';
import type { HeldLease as HeldLeaseName, TakeLeaseRequest } from '../contract.ts';
import { leaseLost } from '../refusals.ts';
import type { HeldLease, LeaseKeeper, Medium } from './medium.ts';

/**
 * Leases end by time only if nobody renews them. In memory nobody can die without the store dying too, so a lease is
 * as good as renewed at every look while the handle that took it is open: its time to live is counted from now.
 * A handle opened with `heartbeat=off` plays a driver that has fallen silent: its leases keep the end they began with.
 */
export function standing(held: HeldLease, now: number): Lease {
  const { lease, keeper } = held;
  return Object.freeze(
    keeper.renews
      ? { ...lease, expiresAt: now + (lease.expiresAt - lease.takenAt) }
      : { ...lease, isExpired: lease.expiresAt <= now },
  );
}

export function findLease(medium: Medium, name: string, now: number): Lease | undefined {
  const held = medium.leases.get(name)?.held;
  return held && standing(held, now);
}

/** What is free is not among them. */
export function findLeases(
  medium: Medium,
  names: readonly string[],
  now: number,
): ReadonlyMap<string, Lease> {
  const leases = names.flatMap((name) => findLease(medium, name, now) ?? []);
  return new Map(leases.map((lease) => [lease.name, lease]));
}

export function takeLease(medium: Medium, request: TakeLeaseRequest, taker: Taker) {
  const held = medium.leases.get(request.name)?.held;
  const present = held && standing(held, taker.now);
  if (present !== undefined && !present.isExpired && present.token !== request.replaces) {
    return { taken: false, lease: present };
  }
  if (held !== undefined) report(held);
  return { taken: true, lease: putLease(medium, request, taker) };
}

export interface Taker {
  readonly keeper: LeaseKeeper;
  readonly now: number;
}

/** Gives the lease to whoever asks, with the next epoch of its name. */
export function putLease(medium: Medium, request: TakeLeaseRequest, { keeper, now }: Taker): Lease {
  const { name, owner, token, leaseMs } = request;
  const epoch = (medium.leases.get(name)?.epoch ?? 0) + 1;
  const times = { takenAt: now, expiresAt: now + leaseMs, isExpired: false };
  const lease = Object.freeze({ name, owner, epoch, token, ...times });
  medium.leases.set(name, { epoch, held: { lease, keeper } });
  return lease;
}

export function freeLease(medium: Medium, name: string, token: string): void {
  const present = medium.leases.get(name);
  if (present?.held?.lease.token !== token) return;
  medium.leases.set(name, { epoch: present.epoch, held: undefined });
}

/** Takes a lease away for good, with its epochs: what it was for is gone. */
export function loseLease(medium: Medium, name: string): void {
  const held = medium.leases.get(name)?.held;
  medium.leases.delete(name);
  if (held !== undefined) report(held);
}

/** Whoever renews learns at once that there is nothing left to renew. */
function report({ keeper, lease }: HeldLease): void {
  if (keeper.renews) keeper.lose(lease);
}

export function freeAllOf(medium: Medium, keeper: LeaseKeeper): void {
  for (const { held } of medium.leases.values()) {
    if (held?.keeper === keeper) freeLease(medium, held.lease.name, held.lease.token);
  }
}

/** Throws unless the lease is held under that token now. */
export function requireLease(medium: Medium, { name, token }: HeldLeaseName, now: number): void {
  const lease = findLease(medium, name, now);
  if (lease?.token !== token || lease.isExpired) throw leaseLost(name, lease);
}
