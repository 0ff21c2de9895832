import type { Command } from 'commander';
import { systemClock } from '../../base/index.ts';
import type { Piton } from '../../library/index.ts';
import type { Config, Project } from '../../project/index.ts';
import type { Output } from './output/index.ts';

/** What a command was called with. */
export interface ContextParts {
  /** Where it was called. */
  readonly directory: string;
  /** How this command line is started again, in a process of its own, before its arguments. */
  readonly program: readonly string[];
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  stdin(): NodeJS.ReadStream;
  readonly project: Project;
  readonly output: Output;
  /** All commands with their arguments and options. */
  commands(): Promise<Command>;
}

/** What every command works with. */
export interface Context extends ContextParts {
  readonly config: Config;
  now(): number;
  /** Piton on the project's store, which is made if need be. The same one each time; the frame closes it. */
  open(): Promise<Piton>;
  /** The same, for commands that only make sense where there are runs. Throws `NO_PROJECT`, `TRUST_NEEDED`. */
  openExisting(): Promise<Piton>;
  /** The same, for commands that tell of all runs: undefined in a project in which nothing has been run yet. Throws `NO_PROJECT`, `TRUST_NEEDED`. */
  openIfAny(): Promise<Piton | undefined>;
}

export interface OpenedContext extends Context {
  close(): Promise<void>;
}

export function createContext(parts: ContextParts): OpenedContext {
  const { project } = parts;
  let opened: Promise<Piton> | undefined;
  const openExisting = (): Promise<Piton> => (opened ??= project.openExisting());
  return {
    ...parts,
    config: project.config,
    now: () => systemClock.now(),
    open: () => (opened ??= project.open()),
    openExisting,
    async openIfAny() {
      project.assertProject();
      return project.hasStore() ? openExisting() : undefined;
    },
    async close() {
      // What could not be opened was reported, and there is nothing to close.
      const piton = await opened?.catch(() => undefined);
      await piton?.close();
    },
  };
}
