/** Requests to a store as an engine would make them, with only what a test cares about spelt out. */
import { randomId, sha256 } from '../base/index.ts';
import type { InboxCommand, Lease, LeaseOwner, RunSummary, StoredCommit } from '../model/index.ts';
import type { AppendRequest, Blob, CreateRunRequest, TakeLeaseRequest } from '../store/index.ts';

/** Long enough that no renewal falls due while a test runs: what then happens to a lease is the test's doing. */
export const longLeaseMs = 60_000;

export function ownerNamed(instance: string): LeaseOwner {
  return { host: 'here', bootId: 'boot', pidNamespace: 'pid:[1]', pid: 4711, startTime: '99', instance };
}

export function summary(given: Partial<RunSummary> = {}): RunSummary {
  return { workflow: 'ship', workflowHash: 'w1', status: 'running', settled: 0, total: 3, ...given };
}

export function commit(run: string, seq: number, note = ''): StoredCommit {
  const body = JSON.stringify({ run, seq, at: 0, epoch: 1, version: 1, events: [], note });
  return { run, seq, body, hash: sha256(body) };
}

export function blob(text: string): Blob {
  return { hash: sha256(text), text };
}

export function leaseOf(run: string): string {
  return `run:${run}`;
}

export function creation(
  run: string,
  { leaseMs = longLeaseMs, ...given }: Partial<CreateRunRequest> & { readonly leaseMs?: number } = {},
): CreateRunRequest {
  return {
    commit: commit(run, 1),
    blobs: [],
    summary: summary(),
    at: 1_000,
    lease: { name: leaseOf(run), owner: ownerNamed('ada'), token: randomId(), leaseMs },
    release: false,
    ...given,
  };
}

/** The commit `seq` of the run that `lease` is for. */
export function appending(lease: Lease, seq: number, given: Partial<AppendRequest> = {}): AppendRequest {
  const run = lease.name.slice('run:'.length);
  return {
    commit: commit(run, seq),
    blobs: [],
    summary: summary({ settled: seq }),
    at: 1_000 + seq,
    lease,
    answers: [],
    ...given,
  };
}

export function taking(name: string, given: Partial<TakeLeaseRequest> = {}): TakeLeaseRequest {
  const run = name.startsWith('run:') ? { run: name.slice('run:'.length) } : {};
  return { name, owner: ownerNamed('bob'), token: randomId(), leaseMs: longLeaseMs, ...run, ...given };
}

export function pauseOf(run: string, id = randomId()): InboxCommand {
  return { id, run, at: 5_000, command: { type: 'pause', reason: 'lunch' } };
}
