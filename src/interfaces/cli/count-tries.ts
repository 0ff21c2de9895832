import type { RunEvent } from '../../engine/index.ts';
import type { Checkpoint, Run } from '../../library/index.ts';
import { readHistory } from './drive/read-history.ts';

/** How often the work of each task was tried. Setups, checks and merges are attempts too, but no tries. */
export type Tries = ReadonlyMap<string, number>;

/** The journal is only read where the number of attempts does not say it. */
export async function triesIn(run: Run, { tasks, seq }: Checkpoint): Promise<Tries> {
  const others = Object.values(tasks).some(
    ({ attempts, workspace, revisions }) => attempts > 1 && (workspace ?? revisions) !== undefined,
  );
  if (others) return countTries(readHistory(run, seq));
  return new Map(Object.entries(tasks).map(([address, { attempts }]) => [address, attempts]));
}

async function countTries(events: AsyncIterable<RunEvent>): Promise<Tries> {
  const tries = new Map<string, number>();
  for await (const event of events) {
    if (event.type !== 'attempt.started' || event.data.kind !== undefined) continue;
    tries.set(event.task, (tries.get(event.task) ?? 0) + 1);
  }
  return tries;
}
