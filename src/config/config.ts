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
}

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
