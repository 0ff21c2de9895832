import type { Spent } from './usage.ts';

export type TaskStatus =
  'pending' | 'queued' | 'running' | 'delayed' | 'held' | 'succeeded' | 'failed' | 'skipped' | 'cancelled';

export type RunStatus =
  'running' | 'delayed' | 'held' | 'paused' | 'stalled' | 'succeeded' | 'failed' | 'cancelled';

const finalStatuses: ReadonlySet<string> = new Set<RunStatus>(['succeeded', 'failed', 'cancelled']);

/** Also of a status as it is shown. */
export function isFinal(status: string): boolean {
  return finalStatuses.has(status);
}

/** What lists and dashboards show of a run without folding its journal. Constant in size. */
export interface RunSummary {
  readonly workflow: string;
  readonly workflowHash: string;
  readonly status: RunStatus;
  /** Tasks that have settled, and tasks known so far. */
  readonly settled: number;
  readonly total: number;
  /** When the next timer is due, if nothing else can happen before. */
  readonly wakeAt?: number;
  /** Why it failed, or was paused or cancelled. */
  readonly reason?: string;
  /** Places of its own that are there, as far as is recorded; absent: none. */
  readonly places?: number;
  /** What agents have used, if anything. */
  readonly spent?: Spent;
}
