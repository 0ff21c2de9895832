import { livenessOf, messageOf, PitonError } from '../base/index.ts';
import {
  findLostEnd,
  leaseName,
  mayLive,
  type Driving,
  type Engine,
  type EnginePorts,
} from '../engine/index.ts';
import type { Lease } from '../model/index.ts';
import { findLease, type RunFilter, type RunRecord } from '../store/index.ts';
import {
  queuedDecision,
  type Circumstances,
  type DriverView,
  type ProblemView,
  type QueuedDecision,
} from '../views/index.ts';

/** What a look at runs is made with. */
export interface Looking {
  readonly engine: Engine;
  readonly ports: EnginePorts;
}

/** Who drives a run, or did so last without letting go of it. */
export async function driverOf(
  { store }: Pick<EnginePorts, 'store'>,
  run: string,
): Promise<DriverView | undefined> {
  const lease = await findLease(store, leaseName(run));
  return lease && driverUnder(lease);
}

function driverUnder(lease: Lease): DriverView {
  const { owner, takenAt } = lease;
  return {
    alive: mayLive(lease),
    stopped: livenessOf(owner) === 'stopped',
    host: owner.host,
    pid: owner.pid,
    since: takenAt,
  };
}

/**
 * Whether these runs are driven. With `onDamaged`, what keeps that from being read of one is told, and it is not among them: one lease
 * that is damaged must not hide the others.
 */
export async function drivingOf(
  { engine }: Looking,
  runs: readonly string[],
  onDamaged: RunFilter['onDamaged'],
): Promise<ReadonlyMap<string, Driving>> {
  try {
    return await engine.drivingOf(runs);
  } catch (thrown) {
    if (onDamaged === undefined || !isDamage(thrown)) throw thrown;
  }
  const found = new Map<string, Driving>();
  for (const run of runs) {
    try {
      found.set(run, (await engine.drivingOf([run])).get(run)!);
    } catch (thrown) {
      if (!isDamage(thrown)) throw thrown;
      onDamaged(leaseDamaged(run, thrown));
    }
  }
  return found;
}

function isDamage(thrown: unknown): thrown is PitonError {
  return thrown instanceof PitonError && thrown.code === 'STORE_DAMAGED';
}

function leaseDamaged(run: string, cause: PitonError): PitonError {
  const message = `Who drives run ${run} cannot be read: ${problemOf(cause).message}`;
  const { details, remedy } = cause;
  return new PitonError('STORE_DAMAGED', message, {
    ...details,
    run,
    cause,
    ...(remedy !== undefined && { remedy }),
  });
}

/** Asked before the journal is read: whoever lets go of a run has written its end before. */
export async function circumstancesOf({ engine, ports }: Looking, run: string): Promise<Circumstances> {
  const { isDriven, lease } = (await engine.drivingOf([run])).get(run)!;
  const isStalled = engine.stalledBecause(run) !== undefined;
  const lost = await lostEndOf(ports, await engine.find(run));
  return {
    isDriven,
    isStalled,
    ...(lease !== undefined && { driver: driverUnder(lease) }),
    ...(lost !== undefined && { problem: problemOf(lost) }),
    queued: (await queuedIn(ports, [run])).get(run) ?? [],
  };
}

/** What was decided about runs and has no effect yet. */
export async function queuedIn(
  { store }: Pick<EnginePorts, 'store'>,
  runs: readonly string[],
): Promise<ReadonlyMap<string, readonly QueuedDecision[]>> {
  const queued = new Map<string, QueuedDecision[]>();
  for (const command of await store.pendingCommands(runs)) {
    const decision = queuedDecision(command);
    if (decision === undefined) continue;
    const others = queued.get(command.run);
    if (others === undefined) queued.set(command.run, [decision]);
    else others.push(decision);
  }
  return queued;
}

/** That it cannot be looked for is a problem of the run, too. */
export async function lostEndOf(
  ports: EnginePorts,
  record: Pick<RunRecord, 'run' | 'seq' | 'hash'>,
): Promise<PitonError | undefined> {
  try {
    return await findLostEnd(ports, record);
  } catch (thrown) {
    if (thrown instanceof PitonError && thrown.code === 'SPOOL_UNREADABLE') return thrown;
    throw thrown;
  }
}

export function problemOf(error: PitonError): ProblemView {
  const { code, remedy } = error;
  return { code, message: messageOf(error), ...(remedy !== undefined && { remedy }) };
}

/** An attempt whose files are still kept, and its process, if that is alive. */
export interface KeptAttempt {
  readonly attempt: string;
  readonly pid?: number;
}

export async function keptAttempts({ spool }: Pick<EnginePorts, 'spool'>): Promise<KeptAttempt[]> {
  const kept: KeptAttempt[] = [];
  for (const attempt of await spool.list()) {
    const seen = await spool.look(attempt);
    kept.push({ attempt, ...(seen.type === 'alive' && { pid: seen.process.pid }) });
  }
  return kept;
}
