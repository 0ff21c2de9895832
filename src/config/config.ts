import type { Budget, CleanupPolicy, InheritEnv, RemoteMachine } from '../model/index.ts';

/** Where a project is and how its runs are kept: files, flags and environment, resolved once. */
export interface Config {
  /** The nearest folder upwards that has a `.piton`; else the folder Piton was started in. */
  readonly root: string;
  /** Whether `.piton` is there. */
  readonly isProject: boolean;
  /** `<root>/.piton`. */
  readonly folder: string;
  /** Of `.piton/config.yaml`, as it was read; undefined if there is none. */
  readonly text: string | undefined;
  readonly workflows: string;
  readonly spool: string;
  readonly logs: string;
  /** A store URL, which means the same in any folder. */
  readonly store: string;
  /** That the store is kept in; undefined if it is in none. */
  readonly storeFile: string | undefined;
  /** Whether it was named by the caller, by flag or environment, and not by the project. */
  readonly isStoreTyped: boolean;
  readonly durability: 'full' | 'process';
  readonly mirror: string | undefined;
  readonly leaseMs: number;
  readonly graceMs: number;
  /** Of agents whose tasks do not say it; undefined: as usual. */
  readonly idleTimeoutMs: number | undefined;
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
}

/** What a configuration is made of. */
export interface Surroundings {
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: ConfigFlags;
}
