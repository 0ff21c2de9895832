import { isFinal, type RunStatus } from '../model/index.ts';
import type { RunFilter, RunRecord } from '../store/index.ts';
import { runLine, type Circumstances, type RunLine, type ShownStatus } from '../views/index.ts';
import { circumstancesOf, lostEndOf, problemOf, type Looking } from './circumstances.ts';

/** Which runs a list is to show. */
export interface RunsFilter extends Omit<RunFilter, 'status'> {
  readonly status?: readonly ShownStatus[];
}

export async function listRuns(
  looking: Looking,
  { status, limit = Infinity, ...filter }: RunsFilter,
): Promise<readonly RunLine[]> {
  const stored = await looking.ports.store.listRuns({ ...filter, ...storedAs(status, limit) });
  const lines: RunLine[] = [];
  for (const record of stored) {
    if (lines.length >= limit) break;
    const line = runLine(record, await around(looking, record));
    if (status?.includes(line.status) ?? true) lines.push(line);
  }
  return lines;
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

/** Most runs of a list have ended: they need no look at who drives them. */
async function around(looking: Looking, record: RunRecord): Promise<Circumstances> {
  if (!isFinal(record.status)) return circumstancesOf(looking, record.run);
  const lost = await lostEndOf(looking.ports, record);
  return { isDriven: false, ...(lost !== undefined && { problem: problemOf(lost) }) };
}
