import type { Evaluator } from '../model/index.ts';

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
  readonly evaluator: Evaluator;
  /** false: nothing new may be started now (no room in the store, or the driver is stopping). */
  readonly mayStart: boolean;
  /** Of the JSON text of one output, or of one change of a graph's state. */
  readonly maxOutputBytes: number;
}
