import { asError, effect, hasCode } from '../base/index.ts';
import type { Spool, WrittenOrder } from '../spool/index.ts';
import type { Compacted } from '../store/index.ts';
import type { ChosenRun, KeptRun, PruneLimits } from './choose-runs.ts';
import { dropPayloadsOf } from './drop-payloads.ts';
import { leaseName, type EnginePorts } from './options.ts';
import { planPrune, type PlanPorts, type PrunePlan } from './plan-prune.ts';
import { sharedAttempts } from './shared-attempts.ts';

type PrunePorts = Pick<EnginePorts, 'store' | 'spool' | 'clock' | 'owner' | 'leaseMs' | 'permit'> & PlanPorts;

/** What `piton.prune` removes, and how. */
export interface PruneOptions extends PruneLimits {
  /** Changes nothing, and says what would go. */
  readonly dryRun?: boolean;
  /** Also makes a file smaller that an earlier version has made, which takes one long step while nobody drives a run. */
  readonly compactWhole?: boolean;
  /** Leaves the rest for another time. */
  readonly signal?: AbortSignal;
}

/** What was removed, or would be. */
export interface PruneReport {
  /** How many runs have gone, or would go. */
  readonly runs: number;
  /** The runs themselves, and those that lost only their payloads. The oldest first. */
  readonly gone: readonly ChosenRun[];
  /** Every other run, and why it stays. Of a request by name: those of the named ones that stay. */
  readonly kept: readonly KeptRun[];
  /** What the store took before; absent if only names were given. */
  readonly bytesBefore?: number;
  /** What became of the free space; absent after a dry run. */
  readonly space?: Compacted;
}

/**
 * Removes runs, and what tells of them outside of the store: else one of the same name would look like one that the store has
 * lost. What is about to go is noted there first, so that whoever is killed in between leaves no such look either, and the next
 * who prunes removes what is left.
 */
export async function pruneRuns(ports: PrunePorts, options: PruneOptions): Promise<PruneReport> {
  const plan = await planPrune(ports, options);
  if (options.dryRun === true) return reportOf(plan, []);
  await ports.permit?.();
  const refused: KeptRun[] = [];
  for (const { record, what } of plan.chosen)
    if (what === 'payloads' && options.signal?.aborted !== true)
      refused.push(...(await dropOrSay(ports, record.run)));
  const orders = Map.groupBy(await unshared(ports), ({ run }) => run);
  refused.push(...(await removeRuns(ports, { plan, orders, signal: options.signal })));
  await giveUpLost(ports, options);
  await removeOrphans(ports, orders);
  const { compactWhole: whole = false, signal } = options;
  const space = await ports.store.compact({ whole, ...(signal && { signal }) });
  return { ...reportOf(plan, refused), space };
}

/** What forks have in their past is theirs too. */
async function unshared({ store, spool }: PrunePorts): Promise<readonly WrittenOrder[]> {
  const orders = await spool.orders();
  const shared = orders.length === 0 ? new Set() : await sharedAttempts(store);
  return orders.filter(({ attempt }) => !shared.has(attempt));
}

function reportOf({ chosen, kept, size }: PrunePlan, refused: readonly KeptRun[]): PruneReport {
  const stayed = new Set(refused.map(({ run }) => run));
  const gone = chosen.filter(({ record }) => !stayed.has(record.run));
  return {
    runs: gone.filter(({ what }) => what === 'run').length,
    gone,
    kept: [...kept, ...refused],
    ...(size && { bytesBefore: size.bytes }),
  };
}

/** Somebody may have taken it up since, or it is damaged: the others go all the same. */
async function dropOrSay(ports: PrunePorts, run: string): Promise<KeptRun[]> {
  try {
    await dropPayloadsOf(ports, run);
    return [];
  } catch (thrown) {
    if (hasCode(thrown, 'STORE_FULL') || hasCode(thrown, 'STORE_CLOSED')) throw thrown;
    return [{ run, reason: asError(thrown).message }];
  }
}

interface Removal {
  readonly plan: PrunePlan;
  /** What the spool has of each run. */
  readonly orders: ReadonlyMap<string, readonly WrittenOrder[]>;
  readonly signal: AbortSignal | undefined;
}

/** One by one: whoever is stopped in between has removed whole runs, and their spools. */
async function removeRuns(ports: PrunePorts, { plan, orders, signal }: Removal): Promise<KeptRun[]> {
  const kept: KeptRun[] = [];
  for (const { record, what } of plan.chosen) {
    const { run } = record;
    if (what !== 'run') continue;
    if (signal?.aborted === true) kept.push({ run, reason: 'it was left for another time' });
    else kept.push(...(await removeRun(ports, record, orders.get(run) ?? [])));
  }
  return kept;
}

async function removeRun(
  ports: PrunePorts,
  record: ChosenRun['record'],
  orders: readonly WrittenOrder[],
): Promise<readonly KeptRun[]> {
  const { run } = record;
  const needed = await ports.elsewhere?.letGo(run);
  if (needed !== undefined) return [{ run, reason: needed }];
  const kept = await removeFromStore(ports, record);
  if (kept.length === 0) await removeSpools(ports.spool, orders);
  if (kept.length === 0 && ports.store.durability !== 'none') await forgetUnwitnessed(ports.spool, run);
  return kept;
}

/** Noted outside of it first. Gives the reason if it is there still. */
async function removeFromStore(
  { store, spool: { heads } }: PrunePorts,
  { run, hash }: ChosenRun['record'],
): Promise<readonly KeptRun[]> {
  const isWitnessed = store.durability !== 'none';
  if (isWitnessed) await effect('spool.pruning-noted', () => heads.notePruning(run));
  const request = { runs: [run], heads: new Map([[run, hash]]), leaseOf: leaseName };
  const { runs, kept = [] } = await store.prune(request);
  if (runs > 0 || (kept.length === 0 && (await store.findRun(run)) === undefined)) return [];
  if (isWitnessed) await heads.forgetPruning(run);
  return kept.length > 0 ? kept : [{ run, reason: 'somebody has taken it up meanwhile' }];
}

/** What lives, or cannot be seen from here, stays until the next time. */
async function removeSpools(spool: Spool, orders: readonly WrittenOrder[]): Promise<void> {
  if (orders.length > 0)
    await effect('spool.pruned-removed', () => spool.remove(orders.map(({ attempt }) => attempt)));
}

/**
 * That a run was removed stays written down where processes were started for it: an older copy of the store that has it still must
 * not begin anew what its spool cannot tell of any more.
 */
async function forgetUnwitnessed(spool: Spool, run: string): Promise<void> {
  if ((await spool.heads.read(run)) === undefined)
    await effect('spool.head-removed', () => spool.heads.remove(run));
}

/** What is named and not there was lost, and is given up, with its mirror. */
async function giveUpLost({ store, spool }: PrunePorts, { runs = [] }: PruneOptions): Promise<void> {
  if (store.durability === 'none' || runs.length === 0) return;
  const known = new Set(await store.listRunIds());
  const lost = runs.filter((run) => !known.has(run));
  if (lost.length > 0) await store.prune({ runs: lost, leaseOf: leaseName });
  for (const run of lost)
    if (!(await spool.heads.isPruned(run))) await effect('spool.head-removed', () => spool.heads.remove(run));
}

/** Whoever was killed has removed runs, and not yet what they have left in the spool. */
async function removeOrphans({ store, spool }: PrunePorts, orders: Removal['orders']): Promise<void> {
  if (store.durability === 'none') return;
  await store.prune({ runs: [], leaseOf: leaseName });
  if (orders.size === 0) return;
  const known = new Set(await store.listRunIds());
  for (const [run, left] of orders)
    if (!known.has(run) && (await spool.heads.isPruned(run))) await removeSpools(spool, left);
}
