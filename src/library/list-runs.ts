import type { Driving } from '../engine/index.ts';
import { isFinal, type RunStatus } from '../model/index.ts';
import type { RunFilter, RunRecord, Store } from '../store/index.ts';
import { runLine, shownStatus, type Circumstances, type RunLine, type ShownStatus } from '../views/index.ts';
import { drivingOf, lostEndOf, problemOf, type Looking } from './circumstances.ts';

/** Which runs a list is to show. */
export interface RunsFilter extends Omit<RunFilter, 'status'> {
  readonly status?: readonly ShownStatus[];
}

export async function listRuns(
  looking: Looking,
  { status, limit = Infinity, ...filter }: RunsFilter,
): Promise<readonly RunLine[]> {
  const { records, driving } = await find(looking, { ...filter, ...storedAs(status, limit) });
  const lines: RunLine[] = [];
  for (const record of records) {
    if (lines.length >= limit) break;
    const line = runLine(record, await around(looking, record, driving.get(record.run)));
    if (status?.includes(line.status) ?? true) lines.push(line);
  }
  return lines;
}

interface Found {
  readonly records: readonly RunRecord[];
  /** Of those that have not ended. */
  readonly driving: ReadonlyMap<string, Driving>;
}

/** Without those of which nobody knows whether they are driven. */
async function find(looking: Looking, filter: RunFilter): Promise<Found> {
  const { store } = looking.ports;
  const stored = await store.listRuns(filter);
  const open = stored.filter(({ status }) => !isFinal(status)).map(({ run }) => run);
  const driving = await drivingOf(looking, open, filter.onDamaged);
  const known = stored.filter(({ run, status }) => isFinal(status) || driving.has(run));
  const left = known.filter((record) => isLeft(record, driving.get(record.run)));
  const now = await lookAgain(store, filter, left);
  const records = known.flatMap((record) => (now.has(record.run) ? (now.get(record.run) ?? []) : record));
  return { records, driving };
}

function isLeft(record: RunRecord, driving: Driving | undefined): boolean {
  return shownStatus(record, { isDriven: driving?.isDriven ?? false }) === 'interrupted';
}

/**
 * As those are stored now that nobody drove: whoever lets go of a run has written its end before, so one that has ended between the
 * two looks tells of it. Undefined for what was removed.
 */
async function lookAgain(
  store: Store,
  filter: RunFilter,
  left: readonly RunRecord[],
): Promise<ReadonlyMap<string, RunRecord | undefined>> {
  if (left.length === 0) return new Map();
  const again = await store.listRuns({ ...filter, onDamaged: () => undefined });
  const found = new Map(again.map((record) => [record.run, record]));
  const now = new Map<string, RunRecord | undefined>();
  for (const record of left) {
    const { run } = record;
    // What has ended may be none of these any more, or on the next page.
    now.set(run, found.get(run) ?? (await store.findRun(run).catch(() => record)));
  }
  return now;
}

export const unfinished: readonly RunStatus[] = ['running', 'delayed', 'held', 'paused', 'stalled'];

/**
 * What runs of such a status may be stored as. Being interrupted is seen by looking, so as many are looked at as there are; one that
 * is behind may be stored as anything.
 */
function storedAs(
  shown: readonly ShownStatus[] | undefined,
  limit: number,
): Pick<RunFilter, 'status' | 'limit'> {
  if (shown === undefined) return limit === Infinity ? {} : { limit };
  if (shown.includes('behind')) return {};
  return { status: shown.flatMap((status) => (isSeen(status) ? unfinished : [status as RunStatus])) };
}

function isSeen(status: ShownStatus): boolean {
  return status === 'interrupted' || status === 'stalled';
}

/** Of a run that has ended, as most of a list have, nobody has asked who drives it. */
async function around(
  { engine, ports }: Looking,
  record: RunRecord,
  driving: Driving | undefined,
): Promise<Circumstances> {
  const lost = await lostEndOf(ports, record);
  return {
    isDriven: driving?.isDriven ?? false,
    isStalled: driving !== undefined && engine.stalledBecause(record.run) !== undefined,
    ...(lost !== undefined && { problem: problemOf(lost) }),
  };
}
