import type { Clock, ProcessIdentity } from '../base/index.ts';
import type { RunState, TaskState } from '../kernel/index.ts';
import type { InheritEnv, Outcome } from '../model/index.ts';
import type { Sandbox } from '../sandbox/index.ts';
import type { JournalHead, Spool } from '../spool/index.ts';
import type { Attempt } from './attempt.ts';
import type { Placed } from './placing.ts';
import type { Program } from './program.ts';
import type { Environment } from './task-environment.ts';

export interface ProcessPorts {
  readonly program: Program;
  readonly spool: Spool;
  readonly clock: Clock;
  readonly environment: Environment;
  readonly inheritEnv: InheritEnv;
  readonly graceMs: number;
  readonly maxOutputBytes: number;
  /** Names of environment variables whose values are written down nowhere. */
  readonly secrets: readonly string[];
  /** Where the task works; makes that place, if it is not there. */
  place(attempt: Attempt, given: { readonly state: RunState; readonly task: TaskState }): Promise<Placed>;
  /** Of the journal, which tells of all that is begun; undefined where it does not outlive us. */
  head(): JournalHead | undefined;
  /** Why the lease of its run is not renewed at the moment, if so. */
  heartbeatTrouble(): string | undefined;
  /** Nobody works there any more: keeps the files as they are. */
  save(attempt: Attempt): Promise<void>;
  /** A process exists. */
  spawned(attempt: Attempt, found: Spawned): void;
  /** It was begun before, and this is how it was found again. */
  recovered(attempt: Attempt, how: 'adopted' | 'harvested'): void;
  /** Contains it, if it is to be. Throws `SANDBOX_UNAVAILABLE`. */
  readonly sandbox: Sandbox;
  ended(attempt: Attempt, outcome: Outcome): void;
  /** It has ended, and the next driver is to find out how. */
  left(attempt: Attempt): void;
  /** Why it cannot be gone on with at the moment; undefined: it can again. */
  stalled(attempt: Attempt, reason: string | undefined): void;
}

interface Spawned {
  readonly process: ProcessIdentity;
  readonly version?: string;
  readonly sandbox?: string;
}
