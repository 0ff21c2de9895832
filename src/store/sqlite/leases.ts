import type { Clock } from '../../base/index.ts';
import type { Lease } from '../../model/index.ts';
import type { TakeLeaseRequest } from '../contract.ts';
import type { Change } from './group-commit.ts';
import { toOwner } from './lease-owner.ts';
import { number, optionalText, text, type Row } from './rows.ts';
import type { Statements } from './statements.ts';

/** By name; what is free or was never taken is not among them. */
export function findLeases(
  statements: Statements,
  names: readonly string[],
  now: number,
): ReadonlyMap<string, Lease> {
  // As a text that is bound is stored: JSON would keep the half of a character that an agent calls its session by.
  const stored = names.map((name) => name.toWellFormed());
  const rows = statements.findLeases.all({ names: JSON.stringify(stored) });
  const found = new Map(rows.map((row) => [text(row, 'name'), toLease(row, now)]));
  return new Map(
    names.flatMap((name, index) => {
      const lease = found.get(stored[index]!);
      return lease === undefined ? [] : [[name, lease]];
    }),
  );
}

export function findLease(statements: Statements, name: string, now: number): Lease | undefined {
  return findLeases(statements, [name], now).get(name);
}

export interface Taking {
  readonly taken: boolean;
  readonly lease: Lease;
}

export function takeLease(request: TakeLeaseRequest, clock: Clock): Change<Taking> {
  return {
    apply(statements) {
      const now = clock.now();
      const present = findLease(statements, request.name, now);
      const isHeld = present !== undefined && !present.isExpired && present.token !== request.replaces;
      return isHeld
        ? { taken: false, lease: present }
        : { taken: true, lease: putLease(statements, request, now) };
    },
    landed: (statements) => findLease(statements, request.name, clock.now())?.token === request.token,
  };
}

/** Gives the lease to whoever asks, with the next epoch of its name. */
export function putLease(statements: Statements, request: TakeLeaseRequest, now: number): Lease {
  const { name, owner, token } = request;
  const times = { takenAt: now, expiresAt: now + request.leaseMs, isExpired: false };
  const row = statements.putLease.get(name, JSON.stringify(owner), token, times.takenAt, times.expiresAt);
  return Object.freeze({ name, owner, epoch: number(row ?? {}, 'epoch'), token, ...times });
}

export function freeLease(lease: { readonly name: string; readonly token: string }): Change<void> {
  return { apply: (statements) => void statements.freeLease.run(lease.name, lease.token) };
}

function toLease(row: Row, now: number): Lease | undefined {
  const token = optionalText(row, 'token');
  if (token === undefined) return undefined;
  return Object.freeze({
    name: text(row, 'name'),
    owner: toOwner(text(row, 'owner')),
    epoch: number(row, 'epoch'),
    token,
    takenAt: number(row, 'taken_at'),
    expiresAt: number(row, 'expires_at'),
    isExpired: number(row, 'expires_at') <= now,
  });
}
