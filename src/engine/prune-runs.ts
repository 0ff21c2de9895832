import { effect } from '../base/index.ts';
import type { Spool } from '../spool/index.ts';
import type { Pruned, RunRecord, Store } from '../store/index.ts';
import { dayOf } from './calendar.ts';
import { findLostEnd } from './lost-end.ts';
import { leaseName, type EnginePorts } from './options.ts';

export interface PruneRuns {
  readonly before?: number;
  readonly runs?: readonly string[];
}

type PrunePorts = Pick<EnginePorts, 'store' | 'spool' | 'clock'>;

/**
 * Removes runs, and what tells of them outside of the store: else one of the same name would look like one that the store has
 * lost. What is about to go is noted there first, so that whoever is killed in between leaves no such look either.
 */
export async function pruneRuns(ports: PrunePorts, request: PruneRuns): Promise<Pruned> {
  const { store, spool } = ports;
  const { leaving, needed } = await sorted(ports, await mayLeave(ports, request));
  await removeUnbegun(spool, new Set(leaving.map(({ run }) => run)));
  for (const { run } of leaving) await effect('spool.pruning-noted', () => spool.heads.notePruning(run));
  const pruned = await store.prune({ ...(await without(store, request, needed)), leaseOf: leaseName });
  const left = new Set(await store.listRunIds());
  // What is named and not there was lost, and is given up.
  const named = new Set([...leaving.map(({ run }) => run), ...(request.runs ?? [])]);
  for (const run of named) {
    if (!left.has(run)) await effect('spool.head-removed', () => spool.heads.remove(run));
    else await spool.heads.forgetPruning(run);
  }
  const kept = [...(pruned.kept ?? []), ...needed];
  return { ...pruned, ...(kept.length > 0 && { kept }) };
}

/** What was prepared and has not begun bears witness of nothing. What has begun stays: an older copy of the store may be brought back. */
async function removeUnbegun(spool: Spool, runs: ReadonlySet<string>): Promise<void> {
  const all = runs.size === 0 ? [] : await spool.orders();
  const orders = all.filter(({ run }) => runs.has(run));
  for (const { attempt } of orders) {
    const { type } = await spool.look(attempt);
    if (type === 'unclaimed') await spool.removeUnbegun(attempt);
  }
}

type Kept = NonNullable<Pruned['kept']>[number];

async function sorted(
  ports: PrunePorts,
  records: readonly RunRecord[],
): Promise<{ readonly leaving: readonly RunRecord[]; readonly needed: readonly Kept[] }> {
  const leaving: RunRecord[] = [];
  const needed: Kept[] = [];
  for (const record of records) {
    const reason = await whyNeeded(ports, record);
    if (reason === undefined) leaving.push(record);
    else needed.push({ run: record.run, reason });
  }
  return { leaving, needed };
}

async function whyNeeded(ports: PrunePorts, record: RunRecord): Promise<string | undefined> {
  // The budget of the day would be spent once more.
  if (record.spent?.[dayOf(ports.clock.now())] !== undefined)
    return 'what it has used today counts until tomorrow';
  // What lives of it may only be known outside of its journal, and to nobody if that went too.
  const lost = await findLostEnd(ports, record);
  return lost && 'its journal has lost its end, in which it may have been gone on with';
}

async function without(store: Store, request: PruneRuns, kept: readonly Kept[]): Promise<PruneRuns> {
  if (kept.length === 0) return request;
  const names = new Set(kept.map(({ run }) => run));
  const runs = (request.runs ?? (await store.listRunIds())).filter((run) => !names.has(run));
  return { ...request, runs };
}

/** No others go. What of these goes is judged by the store, one by one. */
async function mayLeave({ store }: PrunePorts, { before = Infinity, runs }: PruneRuns): Promise<RunRecord[]> {
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
