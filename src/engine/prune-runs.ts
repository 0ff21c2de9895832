import { effect } from '../base/index.ts';
import type { Pruned, RunRecord, Store } from '../store/index.ts';
import { findLostEnd } from './lost-end.ts';
import type { WitnessPorts } from './witnesses.ts';

export interface PruneRuns {
  readonly before?: number;
  readonly runs?: readonly string[];
}

/**
 * Removes runs, and what tells of them outside of the store: else one of the same name would look like one that the store has
 * lost. What is about to go is noted there first, so that whoever is killed in between leaves no such look either.
 */
export async function pruneRuns(
  ports: Pick<WitnessPorts, 'store' | 'spool'>,
  request: PruneRuns,
): Promise<Pruned> {
  const { store, spool } = ports;
  const { leaving, behind } = await sorted(ports, await mayLeave(ports, request));
  for (const { run } of leaving) await effect('spool.pruning-noted', () => spool.heads.notePruning(run));
  const pruned = await store.prune(await without(store, request, behind));
  const left = new Set(await store.listRunIds());
  // What is named and not there was lost, and is given up.
  const named = new Set([...leaving.map(({ run }) => run), ...(request.runs ?? [])]);
  for (const run of named) {
    if (!left.has(run)) await effect('spool.head-removed', () => spool.heads.remove(run));
    else await spool.heads.forgetPruning(run);
  }
  const kept = [...(pruned.kept ?? []), ...behind.map(({ run }) => ({ run, reason: lostItsEnd }))];
  return { ...pruned, ...(kept.length > 0 && { kept }) };
}

const lostItsEnd = 'its journal has lost its end, in which it may have been gone on with';

/** What lives of a run may only be known outside of its journal, and to nobody if that went too. */
async function sorted(
  ports: Pick<WitnessPorts, 'store' | 'spool'>,
  records: readonly RunRecord[],
): Promise<{ readonly leaving: readonly RunRecord[]; readonly behind: readonly RunRecord[] }> {
  const leaving: RunRecord[] = [];
  const behind: RunRecord[] = [];
  for (const record of records) {
    const lost = await findLostEnd(ports, record);
    (lost === undefined ? leaving : behind).push(record);
  }
  return { leaving, behind };
}

async function without(store: Store, request: PruneRuns, kept: readonly RunRecord[]): Promise<PruneRuns> {
  if (kept.length === 0) return request;
  const names = new Set(kept.map(({ run }) => run));
  const runs = (request.runs ?? (await store.listRunIds())).filter((run) => !names.has(run));
  return { ...request, runs };
}

/** No others go. What of these goes is judged by the store, one by one. */
async function mayLeave(
  { store }: Pick<WitnessPorts, 'store'>,
  { before = Infinity, runs }: PruneRuns,
): Promise<RunRecord[]> {
  // What is kept nowhere has no witness.
  if (store.durability === 'none' || (before === Infinity && runs === undefined)) return [];
  const named = runs === undefined ? undefined : new Set(runs);
  const ended = await store.listRuns({
    status: ['succeeded', 'failed', 'cancelled'],
    // What is damaged does not go.
    onDamaged: () => undefined,
  });
  return ended.filter(({ run, updatedAt }) => updatedAt < before && (named?.has(run) ?? true));
}
