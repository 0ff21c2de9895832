import type { Json } from '../base/index.ts';
import type { Budget, Used } from '../model/index.ts';
import type { Attempt } from './attempt.ts';
import type { AgentSettings } from './options.ts';
import type { ProcessPorts } from './process-ports.ts';

/** What was read of an agent's stream, for the journal. */
export interface TranscriptPart {
  readonly upTo: number;
  readonly entries: readonly Json[];
  /** Those of them that tell what was used. */
  readonly used: readonly Json[];
  /** See `lastWord`. */
  readonly last?: string;
  readonly session?: { readonly id: string; readonly model?: string; readonly version?: string };
}

export interface AgentPorts extends ProcessPorts {
  /** Whether a shell command may be done twice. */
  isHarmless(command: string): boolean;
  /** How agents are installed and to be understood here, by name. */
  readonly agents: Readonly<Record<string, AgentSettings>>;
  readonly budgetPerDay?: Budget;
  readonly idleTimeoutMs: number;
  readonly lingerMs: number;
  /** What agents have used today in other runs. */
  elsewhere(): Used;
  /** A good moment to keep the files as they are. */
  boundary(attempt: Attempt, label: string): void;
  /** To be journalled before anything acts on it. */
  transcript(attempt: Attempt, part: TranscriptPart): void;
}
