import type { Budget } from '../model/index.ts';

/** Where a project is and how its runs are kept: files, flags and environment, resolved once. */
export interface Config {
  /** The nearest folder upwards that has a `.piton`; else the folder Piton was started in. */
  readonly root: string;
  /** Whether `.piton` is there. */
  readonly isProject: boolean;
  /** `<root>/.piton`. */
  readonly folder: string;
  readonly workflows: string;
  readonly spool: string;
  readonly logs: string;
  /** A store URL; the path of a `sqlite:` one is absolute. */
  readonly store: string;
  /** Of a `sqlite:` store; undefined for others. */
  readonly storeFile: string | undefined;
  readonly durability: 'full' | 'process';
  readonly mirror: string | undefined;
  readonly leaseMs: number;
  readonly graceMs: number;
  /** What is otherwise than usual, by the names of the agents. */
  readonly agents: Readonly<Record<string, AgentSettings>>;
  /** Environment variables whose values are written down nowhere. */
  readonly secrets: readonly string[];
  /** What all runs of the store together may use up on one day; undefined: no limit. */
  readonly budgetPerDay: Budget | undefined;
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
