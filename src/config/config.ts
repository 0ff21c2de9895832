import type { Budget, CheckpointPolicy, CleanupPolicy, InheritEnv, RemoteMachine } from '../model/index.ts';
import type { Layer } from './layers.ts';

/** Where a project is and how its runs are kept: files, flags and environment, resolved once. */
export interface Config {
  /** The nearest folder upwards that has a `.piton`; else the folder Piton was started in. */
  readonly root: string;
  /** Whether `.piton` is there. */
  readonly isProject: boolean;
  /** `<root>/.piton`. */
  readonly folder: string;
  /** That it was looked for from. */
  readonly directory: string;
  /** The files that settings can stand in; they need not be there. */
  readonly files: { readonly user: string; readonly project: string };
  /** Of `.piton/config.yaml`, as it was read; undefined if there is none. */
  readonly text: string | undefined;
  /** Of the user's own file. */
  readonly userText: string | undefined;
  /** What it was made of, from the weakest to the strongest. */
  readonly layers: readonly Layer[];
  readonly workflows: string;
  readonly spool: string;
  readonly logs: string;
  /** A store URL, which means the same in any folder. */
  readonly store: string;
  /** That the store is kept in; undefined if it is in none. */
  readonly storeFile: string | undefined;
  /** Whether it was named by the user, by flag, environment or a file of the user's own, and not by the project. */
  readonly isStoreTyped: boolean;
  readonly durability: 'full' | 'process';
  readonly mirror: string | undefined;
  readonly leaseMs: number;
  readonly graceMs: number;
  /** Of agents whose tasks do not say it. */
  readonly idleTimeoutMs: number;
  /** Of workflows that do not say it. */
  readonly checkpoint: CheckpointPolicy;
  /** Of workflows that do not say it; undefined: no limit. */
  readonly maxParallel: number | undefined;
  /** What is otherwise than usual, by the names of the agents. */
  readonly agents: Readonly<Record<string, AgentSettings>>;
  /** Environment variables whose values are written down nowhere. */
  readonly secrets: readonly string[];
  /** What every command and agent gets of the environment, beyond the base and what it asks for itself. */
  readonly inheritEnv: InheritEnv;
  /** What all runs of the store together may use up on one day; undefined: no limit. */
  readonly budgetPerDay: Budget | undefined;
  readonly workspaces: WorkspaceSettings;
  /** Machines where tasks can work, by the names that workflows have for them. */
  readonly remotes: Readonly<Record<string, RemoteMachine>>;
  readonly delivery: DeliverySettings;
  /** What is done with a run whose journal is damaged when it goes on. */
  readonly onDamage: 'refuse' | 'repair';
  /** Undefined: no backups are made by themselves. */
  readonly backups: BackupSettings | undefined;
  /** Which runs go by themselves; undefined: none. */
  readonly retention: RetentionSettings | undefined;
}

export interface BackupSettings {
  /** One is made if the last is older than this. */
  readonly everyMs: number;
  /** So many are kept. */
  readonly keep: number;
  /** Absolute. Absent: `backups` beside the store. */
  readonly folder?: string;
}

/** Limits of what is kept of runs that have ended. At least one is given. */
export interface RetentionSettings {
  /** Runs go that ended longer ago. */
  readonly olderThanMs?: number;
  /** The newest of each workflow stay, so many. */
  readonly keep?: number;
  /** Of the store: then the oldest go. */
  readonly maxBytes?: number;
  /** Big values and transcripts of runs go that ended longer ago; their journals stay. */
  readonly payloadsAfterMs?: number;
}

export interface WorkspaceSettings {
  /** Where tasks work, where neither they nor their workflow say it. */
  readonly mode?: 'worktree' | 'directory' | 'shared';
  /** What is left of places is removed after so long; absent: never by itself. */
  readonly keepMs?: number;
  /** The oldest that is left is removed, until so much is there at most; absent: no limit. */
  readonly quotaBytes?: number;
  /** For workflows that do not say it. */
  readonly cleanup?: CleanupPolicy;
  /** Names of folders that can be made again: where git ignores them, nothing is kept of them. */
  readonly disposable?: readonly string[];
}

export interface DeliverySettings {
  /** The remote repository that branches are pushed to, by its name in git. */
  readonly remote?: string;
  /** What opens pull requests instead of `gh`: shell text. */
  readonly command?: string;
}

export interface AgentSettings {
  /** A name that is looked for on the PATH, or an absolute path. */
  readonly executable?: string;
  /** What kind of thing a tool does, by its name: decides whether an interrupted call may be made again. */
  readonly tools?: Readonly<Record<string, (typeof toolClasses)[number]>>;
}

export const toolClasses = ['reading', 'editing', 'unknown', 'irreversible'] as const;

export interface ConfigFlags {
  readonly root?: string;
  readonly store?: string;
  /** For whoever judges the files: one that is wrong must not keep anybody from that. */
  readonly ignoresFiles?: boolean;
}

/** What a configuration is made of. */
export interface Surroundings {
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: ConfigFlags;
}
