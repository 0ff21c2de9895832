import type { Budget, Evaluator, UsageLimits, Used } from '../model/index.ts';

/** What the kernel may not have of its own: time, chance, fresh names, the user's expressions. */
export interface World {
  readonly now: number;
  /** In [0, 1). */
  chance(): number;
  /** A new attempt's id, or a new gate's. */
  mint(): string;
  /** The id of a new conversation with an agent, where it is ours to choose. */
  mintSession(agent: string): string | undefined;
  /** Whether the agent is installed. */
  hasAgent(agent: string): boolean;
  /** The first moment from then on that is not within these hours of the local day. */
  afterQuietHours(at: number, hours: NonNullable<UsageLimits['quietHours']>): number;
  readonly today: Today;
  /** Of all runs together, on one day. */
  readonly budgetPerDay?: Budget;
  /** Who has a lock that all runs in the repository share, if another has it. */
  lockedBy(lock: string): string | undefined;
  readonly evaluator: Evaluator;
  /** Without the secrets that are known here. */
  readonly redact: (text: string) => string;
  /** false: nothing new may be started now (no room in the store, or the driver is stopping). */
  readonly mayStart: boolean;
  /** Of the JSON text of one output, or of one change of a graph's state. */
  readonly maxOutputBytes: number;
}

export interface Today {
  /** Of the local calendar: `2026-11-15`. */
  readonly day: string;
  readonly endsAt: number;
  /** What agents have used today in other runs. */
  readonly elsewhere: Used;
}
