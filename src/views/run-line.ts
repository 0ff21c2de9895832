import { addUsed, nothingUsed } from '../kernel/index.ts';
import type { RunAbout, RunSummary, Spent } from '../model/index.ts';
import { progressOf, type Progress } from './checkpoint.ts';
import { shownStatus, type Circumstances, type ShownStatus } from './run-view.ts';
import { usageOf, type Usage } from './usage.ts';

/** What lists show of a run. */
export interface RunLine {
  readonly run: string;
  readonly workflow: string;
  /** What its operator says of it. */
  readonly about?: RunAbout;
  readonly status: ShownStatus;
  /** Why it is paused, has failed or was cancelled. */
  readonly reason?: string;
  /** The number of its last commit. */
  readonly seq: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly progress: Progress;
  /** What its agents have used. */
  readonly usage?: Usage;
  /** When it goes on by itself, if it waits for a time. */
  readonly wakeAt?: number;
}

interface StoredRun extends RunSummary {
  readonly run: string;
  readonly seq: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export function runLine(stored: StoredRun, circumstances: Circumstances): RunLine {
  const { run, workflow, reason, seq, createdAt, updatedAt, settled, total, spent, wakeAt, about } = stored;
  const usage = spent && usageOf(sumOf(spent));
  return {
    run,
    workflow,
    ...(about !== undefined && { about }),
    status: shownStatus(stored, circumstances),
    ...(reason !== undefined && { reason }),
    seq,
    createdAt,
    updatedAt,
    progress: progressOf({ done: settled, total }),
    ...(usage !== undefined && { usage }),
    ...(wakeAt !== undefined && { wakeAt }),
  };
}

function sumOf(spent: Spent) {
  return Object.values(spent)
    .flatMap((agents) => Object.values(agents))
    .reduce(addUsed, nothingUsed);
}
