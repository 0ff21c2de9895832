import type { RunState } from '../kernel/index.ts';
import type { Lease, Workflow } from '../model/index.ts';
import type { KeepingAttempts } from '../spool/index.ts';
import { findLease } from '../store/index.ts';
import { isDead, mayLive, takeLease } from './leases.ts';
import type { EnginePorts } from './options.ts';

type LockPorts = Pick<EnginePorts, 'store' | 'spool' | 'clock' | 'owner' | 'leaseMs'>;

/** A lock that all runs of the store in one repository share. */
function leaseNameOf({ origin }: RunState, lock: string): string {
  return `lock:${origin?.repository?.commonDir ?? origin?.directory ?? ''}:${lock}`;
}

/** The names that tasks of a workflow mention, also those of its child workflows. */
export function repositoryLocksIn(workflow: Workflow): ReadonlySet<string> {
  return new Set(
    workflow.tasks.flatMap(({ repositoryLocks = [], work }) => [
      ...repositoryLocks,
      ...(work.type === 'workflow' ? repositoryLocksIn(work.workflow) : []),
    ]),
  );
}

/** Which of these locks others have, and who. */
export async function locksElsewhere(
  ports: LockPorts,
  state: RunState,
  locks: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const held = new Map<string, string>();
  const leases = await ports.store.findLeases(Array.from(locks, (lock) => leaseNameOf(state, lock)));
  for (const lock of locks) {
    const lease = leases.get(leaseNameOf(state, lock));
    if (lease !== undefined && (await isHeld(ports, lease)))
      held.set(lock, await holderOf(ports.spool, lease));
  }
  return held;
}

/** Takes all of them for an attempt, or none. Gives them, or who has one. */
export async function takeLocks(
  ports: LockPorts,
  state: RunState,
  { attempt, locks }: { readonly attempt: string; readonly locks: readonly string[] },
): Promise<{ readonly taken: readonly Lease[] } | { readonly holder: string }> {
  const taken: Lease[] = [];
  try {
    // In one order: two that want the same never wait for each other.
    for (const lock of [...locks].sort()) {
      const found = await takeLock(ports, leaseNameOf(state, lock), attempt);
      if (!found.taken) {
        await releaseLocks(ports, taken);
        return { holder: `${lock} is locked by ${await holderOf(ports.spool, found.lease)}` };
      }
      taken.push(found.lease);
    }
    return { taken };
  } catch (thrown) {
    // Nobody else would: they would be held as long as this process lives.
    await releaseLocks(ports, taken);
    throw thrown;
  }
}

export async function releaseLocks({ store }: LockPorts, leases: readonly Lease[]): Promise<void> {
  for (const lease of leases) await store.releaseLease(lease).catch(() => {});
}

/** The token is the attempt's id: by it, whoever comes next finds out whether its process lives, even without its driver. */
async function takeLock(
  ports: LockPorts,
  name: string,
  attempt: string,
): Promise<{ readonly taken: boolean; readonly lease: Lease }> {
  const isOthers = async (lease: Lease): Promise<boolean> =>
    lease.token !== attempt && (await isHeld(ports, lease));
  const current = await findLease(ports.store, name);
  // Also one that has run out: the process of its attempt may live on without its driver.
  if (current !== undefined && (await isOthers(current))) return { taken: false, lease: current };
  // Taken from this holder and no other: who has come since keeps it.
  return takeLease(ports, { name, token: attempt }, async (holder) => !(await isOthers(holder)));
}

async function isHeld({ spool }: LockPorts, lease: Lease): Promise<boolean> {
  if (mayLive(lease)) return true;
  return isDead(lease) && (await spool.look(lease.token)).type === 'alive';
}

async function holderOf(spool: KeepingAttempts, { owner: { pid, host }, token }: Lease): Promise<string> {
  const found = await spool.describe(token);
  const where = `process ${pid} on ${host}`;
  return found === undefined ? where : `${found.task} of run ${found.run} (${where})`;
}
