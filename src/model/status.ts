import type { RunAbout } from './about.ts';
import type { Spent } from './usage.ts';

/**
 * `pending`: it waits for others. `queued`: it may start as soon as there is room for it. `delayed`: it is tried again at a time.
 * `held`: a person decides. The others are what they say.
 */
export type TaskStatus =
  'pending' | 'queued' | 'running' | 'delayed' | 'held' | 'succeeded' | 'failed' | 'skipped' | 'cancelled';

/**
 * `delayed`: nothing can happen before a time. `held`: nothing can happen before a person decides. `stalled`: nothing can be written,
 * since the disk is full, say.
 */
export type RunStatus =
  'running' | 'delayed' | 'held' | 'paused' | 'stalled' | 'succeeded' | 'failed' | 'cancelled';

const finalStatuses: ReadonlySet<string> = new Set<RunStatus>(['succeeded', 'failed', 'cancelled']);

/** Also of a status as it is shown. */
export function isFinal(status: string): boolean {
  return finalStatuses.has(status);
}

/** The answer to what is asked of a run that has ended. */
export function endedText(status: string): string {
  return `the run has ended: ${status}`;
}

/** What lists and dashboards show of a run without folding its journal. Bounded in size. */
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
  /** What its operator says of it, if anything. */
  readonly about?: RunAbout;
}
