import type { Lease } from '../model/index.ts';
import { isDead } from './leases.ts';
import { leaseName, type EnginePorts } from './options.ts';

/** Whether somebody is at work on a run. */
export interface Driving {
  /** Anybody may be driving it: here, or elsewhere under a lease that has not run out. */
  readonly isDriven: boolean;
  /** Of whoever drives it, or did so last without letting go of it. */
  readonly lease?: Lease;
}

/** One look at the store, however many runs, and one at each process that has some of them. */
export async function drivingOf(
  { store }: Pick<EnginePorts, 'store'>,
  runs: readonly string[],
  isDrivenHere: (run: string) => boolean,
): Promise<ReadonlyMap<string, Driving>> {
  if (runs.length === 0) return new Map();
  const leases = await store.findLeases(runs.map(leaseName));
  const isDeadHolder = askedOnce();
  return new Map(
    runs.map((run) => {
      const lease = leases.get(leaseName(run));
      const isHeld = lease !== undefined && !lease.isExpired && !isDeadHolder(lease);
      return [run, { isDriven: isDrivenHere(run) || isHeld, ...(lease !== undefined && { lease }) }];
    }),
  );
}

/** Most runs have the same holder, and where `ps` has to be asked for it, that takes longer than all else. */
function askedOnce(): (lease: Lease) => boolean {
  const known = new Map<string, boolean>();
  return (lease) => {
    const { instance } = lease.owner;
    const answer = known.get(instance) ?? isDead(lease);
    known.set(instance, answer);
    return answer;
  };
}
