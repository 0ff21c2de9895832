import { setTimeout as pause } from 'node:timers/promises';
import { livenessOf, PitonError, randomId, systemClock } from '../base/index.ts';
import type { Lease } from '../model/index.ts';
import { findLease } from '../store/index.ts';
import { isDead, takeLease } from './leases.ts';
import { leaseName, type EnginePorts } from './options.ts';

export interface TakeOptions {
  /**
   * Takes the lease also from a living driver; that one can neither commit nor start anything from then on. `kill`: a driver on
   * this host is ended first, so that nothing in it goes on.
   */
  readonly takeover?: boolean | 'kill';
  /** With `takeover`: since when the driver that is meant has had the run (see `piton.driver`); a later one keeps it. */
  readonly driverSince?: number;
}

/** What a lease is taken with. */
export type LeasePorts = Pick<EnginePorts, 'store' | 'owner' | 'leaseMs'>;

/**
 * The right to drive a run. Whoever is dead on this host is replaced at once, whoever is silent after its lease has run
 * out; from anyone else it is taken only with `takeover`. Throws `RUN_DRIVEN`.
 */
export async function takeRunLease(
  ports: LeasePorts,
  run: string,
  { takeover = false, driverSince = Infinity }: TakeOptions = {},
): Promise<Lease> {
  const isGone = async (holder: Lease): Promise<boolean> => {
    const isMeant = takeover !== false && holder.takenAt <= driverSince;
    if (!isMeant && !isDead(holder)) return false;
    if (takeover === 'kill') await kill(run, holder);
    return true;
  };
  const { taken, lease } = await takeLease(ports, { name: leaseName(run), token: randomId(26), run }, isGone);
  if (!taken) throw driven(run, lease);
  return lease;
}

const killPatienceMs = 5_000;

/** The identity is looked at again right before: a pid alone may have come to somebody else. */
async function kill(run: string, lease: Lease): Promise<void> {
  const { owner } = lease;
  if (owner.pid === process.pid) return;
  const until = systemClock.elapsed() + killPatienceMs;
  for (let seen = livenessOf(owner); seen === 'alive' || seen === 'stopped'; seen = livenessOf(owner)) {
    if (systemClock.elapsed() > until) throw driven(run, lease);
    signalKill(owner.pid);
    await pause(10);
  }
}

function signalKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone, or not ours to end: the next look tells.
  }
}

/** Ours again, if it ran out while nobody else took it: after a stall, or when the machine was asleep. */
export async function regainLease(
  { store, owner, leaseMs }: EnginePorts,
  run: string,
  lost: Lease,
): Promise<Lease | undefined> {
  const { name, token } = lost;
  const current = await findLease(store, name);
  if (current?.token !== token) return undefined;
  const { taken, lease } = await store.takeLease({
    name,
    owner,
    token: randomId(26),
    leaseMs,
    replaces: token,
    run,
  });
  return taken ? lease : undefined;
}

function driven(run: string, { owner, takenAt }: Lease): PitonError {
  const isStopped = livenessOf(owner) === 'stopped';
  const who = `process ${owner.pid} on ${owner.host}${isStopped ? ', which is stopped' : ''}`;
  return new PitonError(
    'RUN_DRIVEN',
    `Run ${run} is driven by ${who}, since ${new Date(takenAt).toISOString()}.`,
    {
      run,
      pid: owner.pid,
      host: owner.host,
      since: takenAt,
      stopped: isStopped,
      remedy: isStopped
        ? 'Let it go on (fg, or kill -CONT), or take over.'
        : 'Wait for it, end that process, or take over.',
    },
  );
}
