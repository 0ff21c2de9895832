import type { Config } from '../config/index.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where somebody stands who looks at a project. */
export interface Surroundings {
  readonly directory: string;
  readonly env: Environment;
  readonly config: Config;
}

export interface Trusting extends Surroundings {
  /** Of the configuration what may be used: of a project that is not trusted, nothing that executes or leads elsewhere. */
  granted(): Promise<Config>;
  /** Before anything of the project is executed. Throws `TRUST_NEEDED`, `STATE_TRACKED`. */
  requireTrust(): Promise<void>;
}
