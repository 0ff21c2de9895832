/** The thread behind `Heartbeat`. It may block on the database's lock: nothing else waits for it. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { HeartbeatOrder, HeartbeatReport, HeldLease } from './heartbeat.ts';

const { file, leases } = workerData as { readonly file: string; readonly leases: readonly HeldLease[] };
const held = new Map(leases.map((lease) => [lease.key, lease]));

const database = new DatabaseSync(file, { timeout: 500 });
// A renewal need not survive a loss of power, since its owner does not. Checkpoints are left to the store's own connection.
database.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0');
/** An expired lease is not brought back to life: someone may have acted on its end already. */
const renewLease = database.prepare(`
  UPDATE leases SET expires_at = :expiresAt
  WHERE  name = :name AND token = :token AND expires_at > :now`);

/** How soon to try again when the database could not be written. */
const retryMs = 250;

let beat: NodeJS.Timeout | undefined;
let beatAt = Infinity;

parentPort!.on('message', obey);
report([]);
scheduleNext();

function obey(order: HeartbeatOrder): void {
  if (order.type === 'stop') return stop();
  if (order.type === 'drop') return void held.delete(order.key);
  for (const key of order.freed) held.delete(key);
  held.set(order.lease.key, order.lease);
  beatWithin(dueInMs(order.lease));
}

function stop(): void {
  clearTimeout(beat);
  database.close();
  parentPort!.close();
}

/** A beat that is due sooner stays: otherwise a stream of new leases would put it off for ever. */
function beatWithin(ms: number): void {
  // eslint-disable-next-line no-restricted-properties
  const at = performance.now() + ms;
  if (at >= beatAt) return;
  clearTimeout(beat);
  beatAt = at;
  beat = setTimeout(renewAll, ms);
}

function scheduleNext(): void {
  for (const lease of held.values()) beatWithin(dueInMs(lease));
}

/** After a third of its time: two renewals may fail before it is lost. */
function dueInMs(lease: HeldLease): number {
  return Math.max(0, lease.expiresAt - (lease.leaseMs * 2) / 3 - nowFor(lease));
}

function renewAll(): void {
  beatAt = Infinity;
  if (held.size === 0) return;
  const isDone = renewTogether();
  const lost = [...held.values()].filter(isExpired).map(({ key }) => key);
  for (const key of lost) held.delete(key);
  if (lost.length > 0) report(lost);
  if (isDone) scheduleNext();
  else beatWithin(retryMs);
}

function report(lost: readonly string[]): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port, not a window
  parentPort?.postMessage({ lost } satisfies HeartbeatReport);
}

/** False if the database could not be written; then nothing is known to be lost but what has expired meanwhile. */
function renewTogether(): boolean {
  try {
    database.exec('BEGIN IMMEDIATE');
    const renewed = Array.from(held.values(), renew);
    database.exec('COMMIT');
    for (const lease of renewed) held.set(lease.key, lease);
    return true;
  } catch {
    if (database.isTransaction) database.exec('ROLLBACK');
    return false;
  }
}

/** The lease as it is after the attempt: one that is no longer ours counts as expired. */
function renew(lease: HeldLease): HeldLease {
  const now = nowFor(lease);
  const expiresAt = now + lease.leaseMs;
  const { changes } = renewLease.run({ name: lease.name, token: lease.token, now, expiresAt });
  return { ...lease, expiresAt: changes === 1 ? expiresAt : 0 };
}

function isExpired(lease: HeldLease): boolean {
  return lease.expiresAt <= nowFor(lease);
}

function nowFor({ clockOffsetMs }: HeldLease): number {
  // With the offset it is the clock of the store; the thread loads nothing of ours.
  // eslint-disable-next-line no-restricted-properties
  return Date.now() + clockOffsetMs;
}
