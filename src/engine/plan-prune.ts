import { asError, hasCode } from '../base/index.ts';
import { isFinal } from '../model/index.ts';
import type { RunRecord, Store, StoreSize } from '../store/index.ts';
import { dayOf } from './calendar.ts';
import { chooseRuns, type Choice, type Choices, type KeptRun, type PruneLimits } from './choose-runs.ts';
import { gainOf } from './drop-payloads.ts';
import { mayLive } from './leases.ts';
import { findLostEnd } from './lost-end.ts';
import { leaseName, type EnginePorts } from './options.ts';

/** What belongs to runs outside of the store and the spool. */
export interface HeldElsewhere {
  /** Why runs may not go although the store could do without them, by run: refs that hold work, say. */
  whyNeeded(runs: readonly RunRecord[]): Promise<ReadonlyMap<string, string>>;
  /** Right before a run goes, takes away what goes with it. Gives the reason if the run has to stay after all. */
  letGo(run: string): Promise<string | undefined>;
}

export interface PlanPorts extends Pick<EnginePorts, 'store' | 'spool' | 'clock'> {
  readonly elsewhere?: HeldElsewhere;
}

export interface PrunePlan extends Choice {
  /** Before anything goes. Absent if only names were given: then nobody has measured it. */
  readonly size?: StoreSize;
}

/** What would go, and why the rest stays. Changes nothing. */
export async function planPrune(ports: PlanPorts, limits: PruneLimits): Promise<PrunePlan> {
  if (!isLimited(limits)) return { chosen: [], kept: [] };
  const { records, damaged } = await readRecords(ports.store);
  const ended = records.filter(({ status }) => isFinal(status));
  const going = records.filter((record) => !isFinal(record.status));
  const size = isByNameAlone(limits) ? undefined : await ports.store.measure(removalOrder(records));
  const needed = new Map(await whyHeld(ports, ended));
  const choices: Choices = { ended, needed, gains: new Map(), now: ports.clock.now(), ...sizesIn(size) };
  const gains = await gainsOf(ports.store, limits, choices);
  const choice = await untilAllMayGo(ports, limits, { ...choices, gains });
  const unended = going.map(({ run, status }) => ({ run, reason: `it has not ended: it is ${status}` }));
  const kept = [...choice.kept, ...unended, ...damaged];
  return { ...choice, kept: isByNameAlone(limits) ? ofNamed(kept, limits) : kept, ...(size && { size }) };
}

function isLimited({ runs, before, keep, maxBytes, payloadsBefore }: PruneLimits): boolean {
  return [runs, before, keep, maxBytes, payloadsBefore].some((limit) => limit !== undefined);
}

function isByNameAlone({ runs, maxBytes, payloadsBefore }: PruneLimits): boolean {
  return runs !== undefined && maxBytes === undefined && payloadsBefore === undefined;
}

function ofNamed(kept: readonly KeptRun[], { runs = [] }: PruneLimits): KeptRun[] {
  return kept.filter(({ run }) => runs.includes(run));
}

async function readRecords(
  store: Store,
): Promise<{ records: readonly RunRecord[]; damaged: readonly KeptRun[] }> {
  const damaged: KeptRun[] = [];
  const records = await store.listRuns({
    onDamaged: ({ details, message }) => damaged.push({ run: String(details['run']), reason: message }),
  });
  return { records, damaged };
}

/** What several runs share goes with the last of them: runs that have not ended stay anyway. */
function removalOrder(records: readonly RunRecord[]): string[] {
  const oldestFirst = records.toSorted((a, b) => a.updatedAt - b.updatedAt || (a.run < b.run ? -1 : 1));
  const byEnd = Map.groupBy(oldestFirst, ({ status }) => isFinal(status));
  return [...(byEnd.get(true) ?? []), ...(byEnd.get(false) ?? [])].map(({ run }) => run);
}

/** What the store needs to keep runs in order is not counted: rather one too many goes than one too few. */
function sizesIn(size: StoreSize | undefined): Pick<Choices, 'sizes' | 'usedBytes'> {
  if (size === undefined) return { sizes: new Map(), usedBytes: 0 };
  return { sizes: size.runs, usedBytes: size.bytes - size.freeBytes };
}

/** What is known of all runs at once. */
async function whyHeld(
  { store, clock }: PlanPorts,
  ended: readonly RunRecord[],
): Promise<Map<string, string>> {
  const leases = await store.findLeases(ended.map(({ run }) => leaseName(run)));
  const today = dayOf(clock.now());
  return new Map(
    ended.flatMap(({ run, spent, places = 0 }): [string, string][] => {
      const lease = leases.get(leaseName(run));
      // Whoever has its lease may be about to take it up again.
      if (lease !== undefined && mayLive(lease)) return [[run, `process ${lease.owner.pid} works on it`]];
      // The budget of the day would be spent once more.
      if (spent?.[today] !== undefined) return [[run, 'what it has used today counts until tomorrow']];
      return places > 0 ? [[run, `it has workspaces left: piton workspace clean ${run}`]] : [];
    }),
  );
}

/** Asked only of those whose payloads may go: each of them is read. */
async function gainsOf(
  store: Store,
  limits: PruneLimits,
  choices: Choices,
): Promise<ReadonlyMap<string, number>> {
  const gains = new Map<string, number>();
  for (const record of choices.ended.filter((each) => mayDrop(each, limits, choices))) {
    const gain = await gainOf(store, record, choices.sizes.get(record.run)!.payloads);
    if (gain > 0) gains.set(record.run, gain);
  }
  return gains;
}

function mayDrop(
  { run, updatedAt }: RunRecord,
  { payloadsBefore = -Infinity, maxBytes = Infinity }: PruneLimits,
  { sizes, needed, usedBytes }: Choices,
): boolean {
  const isWanted = updatedAt < payloadsBefore || usedBytes > maxBytes;
  return isWanted && !needed.has(run) && (sizes.get(run)?.payloads ?? 0) > 0;
}

/** Files and repositories are asked only about those that are to go; if one may not, the choice is made again without it. */
async function untilAllMayGo(ports: PlanPorts, limits: PruneLimits, choices: Choices): Promise<Choice> {
  const needed = new Map(choices.needed);
  const asked = new Set<string>();
  for (;;) {
    const choice = chooseRuns(limits, { ...choices, needed });
    const unasked = choice.chosen
      .filter(({ record: { run } }) => !asked.has(run))
      .map(({ record }) => record);
    if (unasked.length === 0) return choice;
    for (const [run, reason] of await whyNotGone(ports, unasked)) needed.set(run, reason);
    for (const { run } of unasked) asked.add(run);
  }
}

async function whyNotGone(ports: PlanPorts, records: readonly RunRecord[]): Promise<Map<string, string>> {
  const needed = new Map(await ports.elsewhere?.whyNeeded(records));
  for (const record of records) {
    const reason = await whyBehind(ports, record);
    if (reason !== undefined) needed.set(record.run, reason);
  }
  return needed;
}

/** What lives of it may only be known outside of its journal, and to nobody if that went too. */
async function whyBehind(ports: PlanPorts, record: RunRecord): Promise<string | undefined> {
  if (ports.store.durability === 'none') return undefined;
  try {
    const lost = await findLostEnd(ports, record);
    return lost && 'its journal has lost its end, in which it may have been gone on with';
  } catch (thrown) {
    if (hasCode(thrown, 'SPOOL_UNREADABLE')) return asError(thrown).message;
    throw thrown;
  }
}
