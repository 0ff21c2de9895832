import type { Clock, Json } from '../base/index.ts';
import type { AboutChange, Budget, CleanupPolicy, InheritEnv, LeaseOwner, Origin } from '../model/index.ts';
import type { Sandbox } from '../sandbox/index.ts';
import type { Spool } from '../spool/index.ts';
import type { Store } from '../store/index.ts';
import type { Delivery, Upkeep, Workspaces } from '../workspaces/index.ts';
import type { Environment } from './task-environment.ts';
import type { Observers } from './observers.ts';

/** What an engine and its drivers work with; complete, frozen, decided once when Piton is opened. */
export interface EnginePorts {
  readonly store: Store;
  /** Where commands leave what they write, and whether they have begun and ended. */
  readonly spool: Spool;
  /** Contains processes. */
  readonly sandbox: Sandbox;
  /** Where tasks work that have a place of their own. */
  readonly workspaces: Workspaces;
  /** What becomes of these when their tasks have ended. */
  readonly upkeep: Pick<Upkeep, 'clean'>;
  /** Hands over what runs have made. */
  readonly delivery: Delivery;
  /** What becomes of places whose tasks have ended, unless the workflow says otherwise. */
  readonly cleanup: CleanupPolicy;
  /** What commands are given, and secrets are looked up in. */
  readonly environment: Environment;
  /** Whether a shell command may be done twice. */
  isHarmless(command: string): boolean;
  readonly clock: Clock;
  readonly observers: Observers;
  readonly owner: LeaseOwner;
  readonly leaseMs: number;
  /** How long a task that was asked to stop may take. */
  readonly graceMs: number;
  /** An agent that prints nothing for so long, while no tool of it is at work, is interrupted; 0: never. */
  readonly idleTimeoutMs: number;
  /** How long an agent that has told its result may take to end. */
  readonly lingerMs: number;
  /** Of the JSON text of one output. */
  readonly maxOutputBytes: number;
  /** How agents are installed and to be understood here, by name. */
  readonly agents: Readonly<Record<string, AgentSettings>>;
  /** Names of environment variables whose values are written down nowhere. */
  readonly secrets: readonly string[];
  /** What every command and agent is given of the environment, beyond the base and what it asks for itself. */
  readonly inheritEnv: InheritEnv;
  /** What is done with a run whose journal is damaged when somebody goes on with it. */
  readonly onDamage: 'refuse' | 'repair';
  /** Backups that are made by themselves; absent: none. */
  readonly backups?: BackupPolicy;
  /** Of all runs together. */
  readonly budgetPerDay?: Budget;
  /** Before a run is begun, gone on with or tended to, or a session of its agents is opened. Throws if nothing may be executed here. */
  permit?(): Promise<void>;
}

/** How often backups of the store are made by themselves, and how many of them are kept. */
export interface BackupPolicy {
  readonly everyMs: number;
  readonly keep: number;
  /** Default: `backups` beside the store. */
  readonly folder?: string;
}

/** How one kind of agent is used on this machine. */
export interface AgentSettings {
  /** Its program: a path, or another name on the PATH. */
  readonly executable?: string;
  /** What its tools do, by name, where Piton does not know or is wrong. */
  readonly tools?: Readonly<Record<string, 'reading' | 'editing' | 'unknown' | 'irreversible'>>;
}

export type Inputs = Readonly<Record<string, Json>>;

export interface CreateOptions {
  readonly run: string;
  readonly inputs: Inputs;
  /** Of a graph: fields that begin with another value than the workflow gives. */
  readonly state?: Inputs;
  /** The folder commands run in, and the file to compare with when the run goes on. */
  readonly origin?: Origin;
  /** What its operator says of it. */
  readonly about?: AboutChange;
}

export function leaseName(run: string): string {
  return `run:${run}`;
}
