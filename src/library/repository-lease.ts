import { PitonError, randomId } from '../base/index.ts';
import { takeLease, type EnginePorts } from '../engine/index.ts';
import type { Lease } from '../model/index.ts';

type LeasePorts = Pick<EnginePorts, 'store' | 'owner' | 'leaseMs'>;

/**
 * Does something while nobody else of this store changes the places or branches of a repository. Whoever is dead does
 * not keep it. Throws `LOCK_HELD`, naming the holder.
 */
export async function withRepositoryLease<Result>(
  ports: LeasePorts,
  commonDir: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const lease = await takeRepository(ports, commonDir);
  try {
    return await work();
  } finally {
    await ports.store.releaseLease(lease);
  }
}

/** The same for several: always in one order, so that two who want the same never wait for each other. */
export function withRepositoryLeases<Result>(
  ports: LeasePorts,
  commonDirs: Iterable<string>,
  work: () => Promise<Result>,
): Promise<Result> {
  const sorted = [...new Set(commonDirs)].sort();
  return sorted.reduceRight<() => Promise<Result>>(
    (inner, commonDir) => () => withRepositoryLease(ports, commonDir, inner),
    work,
  )();
}

async function takeRepository(ports: LeasePorts, commonDir: string): Promise<Lease> {
  const { taken, lease } = await takeLease(ports, { name: `workspaces:${commonDir}`, token: randomId(26) });
  if (taken) return lease;
  throw held(commonDir, lease);
}

function held(commonDir: string, { owner: { pid, host }, takenAt }: Lease): PitonError {
  const since = new Date(takenAt).toISOString();
  return new PitonError(
    'LOCK_HELD',
    `Process ${pid} on ${host} is at work on the places of ${commonDir}, since ${since}.`,
    { commonDir, pid, host, since: takenAt, remedy: 'Wait until it is done, and try again.' },
  );
}
