import type { InboxCommand, Lease, StoredCommit } from '../../model/index.ts';
import type { RunChange, RunRecord, Snapshot } from '../contract.ts';

/** Hears of what is changed through other handles than its own. */
export interface Listener {
  readonly handle: object;
  call(): void;
}

/** Everything one store in memory holds; several handles may share it. */
export interface Medium {
  readonly runs: Map<string, MemoryRun>;
  readonly blobs: Map<string, string>;
  readonly leases: Map<string, MemoryLease>;
  /** In order of arrival. */
  readonly inbox: Map<string, InboxCommand>;
  /** Of all runs, in order, but for those that are gone again; and how many there ever were. */
  readonly changes: { kept: RunChange[]; count: number };
  readonly listeners: Set<Listener>;
  /** The handles through which something was changed since the listeners were last called. */
  readonly changedBy: Set<object>;
}

export interface MemoryRun {
  record: RunRecord;
  commits: StoredCommit[];
  snapshots: Snapshot[];
  quarantined: readonly StoredCommit[];
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
    changes: { kept: [], count: 0 },
    listeners: new Set(),
    changedBy: new Set(),
  };
}

/** Coalesced: however many changes a turn brings, each listener is called once. */
export function notify({ listeners, changedBy }: Medium, by: object): void {
  changedBy.add(by);
  if (changedBy.size > 1) return;
  setImmediate(() => {
    const handles = [...changedBy];
    changedBy.clear();
    for (const { handle, call } of listeners) if (handles.some((other) => other !== handle)) call();
  });
}
