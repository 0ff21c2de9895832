import { isFinal } from '../model/index.ts';
import type { JournalEnd } from '../store/index.ts';
import { findRun } from './chain.ts';
import type { EnginePorts } from './options.ts';
import { takeBack, type Repair } from './repair.ts';

/** A run of a restored store that had gone on since the backup, or may have: the last commit that the backup has, and what became of its tasks. */
export interface RestoredRun extends Repair {
  readonly run: string;
}

/** What became of the runs of a store that was restored from a backup. */
export interface JoinedRuns {
  /** Nothing has happened to them since. */
  readonly unchanged: readonly string[];
  readonly changed: readonly RestoredRun[];
  /** Runs that began after the backup: the restored store does not have them. */
  readonly lost: readonly string[];
}

/**
 * Joins a store that was made from a backup with what else tells of its runs: what processes have done since is taken up from the
 * spool, what else may have run is held. `ends`: of the journals of the store that it replaces; undefined if nobody can read them.
 */
export async function joinRestored(
  ports: EnginePorts,
  ends: ReadonlyMap<string, JournalEnd> | undefined,
): Promise<JoinedRuns> {
  const runs = await ports.store.listRunIds();
  const unchanged: string[] = [];
  const changed: RestoredRun[] = [];
  for (const run of runs) {
    const repair = await joinRun(ports, run, ends);
    if (repair === undefined) unchanged.push(run);
    else changed.push({ run, ...repair });
  }
  const begun = new Set([...(ends?.keys() ?? []), ...(await ports.spool.orders()).map(({ run }) => run)]);
  return { unchanged, changed, lost: [...begun.difference(new Set(runs))] };
}

/** Undefined if nothing has happened to it. */
async function joinRun(
  ports: EnginePorts,
  run: string,
  ends: ReadonlyMap<string, JournalEnd> | undefined,
): Promise<Repair | undefined> {
  const { hash, seq, status } = await findRun(ports.store, run);
  const end = ends?.get(run);
  if (end?.hash === hash) return undefined;
  // Of one that has ended, and that nobody can tell more of, nothing would go on.
  const mayHaveGoneOn = end !== undefined || !isFinal(status);
  const { isCut, ...repair } = await takeBack(ports, run, {
    isRestored: true,
    ...(mayHaveGoneOn && { wentTo: Math.max(end?.seq ?? 0, seq + 1) }),
  });
  return isCut ? repair : undefined;
}
