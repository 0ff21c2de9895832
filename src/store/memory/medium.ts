import type { InboxCommand, Lease, StoredCommit } from '../../model/index.ts';
import type { RunRecord, Snapshot } from '../contract.ts';

/** Everything one store in memory holds; several handles may share it. */
export interface Medium {
  readonly runs: Map<string, MemoryRun>;
  readonly blobs: Map<string, string>;
  readonly leases: Map<string, MemoryLease>;
  /** In order of arrival. */
  readonly inbox: Map<string, InboxCommand>;
  readonly listeners: Set<() => void>;
  isNotificationDue: boolean;
}

export interface MemoryRun {
  record: RunRecord;
  commits: StoredCommit[];
  snapshots: Snapshot[];
  readonly quarantined: StoredCommit[];
  /** Hashes of the blobs its commits refer to. */
  readonly blobRefs: Set<string>;
}

/** A free lease stays, without a holder, because its epoch must never go back. */
export interface MemoryLease {
  readonly epoch: number;
  readonly held: HeldLease | undefined;
}

export interface HeldLease {
  readonly lease: Lease;
  readonly keeper: LeaseKeeper;
}

/** The handle through which a lease was taken. */
export interface LeaseKeeper {
  /** Whether its leases are kept alive, as they are while an ordinary handle is open. */
  readonly renews: boolean;
  lose(lease: Lease): void;
}

const shared = new Map<string, Medium>();

/** A new one without a name; with a name the one that this process knows by it. */
export function mediumNamed(name: string): Medium {
  if (name === '') return emptyMedium();
  const known = shared.get(name) ?? emptyMedium();
  shared.set(name, known);
  return known;
}

function emptyMedium(): Medium {
  return {
    runs: new Map(),
    blobs: new Map(),
    leases: new Map(),
    inbox: new Map(),
    listeners: new Set(),
    isNotificationDue: false,
  };
}

/** Coalesced: however many changes a turn brings, each listener is called once. */
export function notify(medium: Medium): void {
  if (medium.isNotificationDue || medium.listeners.size === 0) return;
  medium.isNotificationDue = true;
  setImmediate(() => {
    medium.isNotificationDue = false;
    for (const listener of medium.listeners) listener();
  });
}
