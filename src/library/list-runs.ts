import type { Driving } from '../engine/index.ts';
import { isFinal, type RunStatus } from '../model/index.ts';
import type { RunFilter, RunRecord, Store } from '../store/index.ts';
import { runLine, shownStatus, type Circumstances, type RunLine, type ShownStatus } from '../views/index.ts';
import { lostEndOf, problemOf, type Looking } from './circumstances.ts';

/** Which runs a list is to show. */
export interface RunsFilter extends Omit<RunFilter, 'status'> {
  readonly status?: readonly ShownStatus[];
}

export async function listRuns(
  looking: Looking,
  { status, limit = Infinity, ...filter }: RunsFilter,
): Promise<readonly RunLine[]> {
  const { store } = looking.ports;
  const wanted = { ...filter, ...storedAs(status, limit) };
  const stored = await store.listRuns(wanted);
  const open = stored.filter((record) => !isFinal(record.status));
  const driving = await looking.engine.drivingOf(open.map(({ run }) => run));
  const left = open.filter((record) => shownStatus(record, driving.get(record.run)!) === 'interrupted');
  const now = await lookAgain(store, wanted, left);
  const lines: RunLine[] = [];
  for (const listed of stored) {
    if (lines.length >= limit) break;
    const record = now.has(listed.run) ? now.get(listed.run) : listed;
    if (record === undefined) continue;
    const line = runLine(record, await around(looking, record, driving.get(record.run)));
    if (status?.includes(line.status) ?? true) lines.push(line);
  }
  return lines;
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
