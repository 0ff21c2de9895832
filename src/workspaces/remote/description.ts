import type { RemotePlace } from './layout.ts';
import type { Machine } from './machine.ts';

/** What the relay is told in a file. Values of variables are never in it: they come by the environment. */
export interface Description {
  readonly machine: Machine;
  readonly place: RemotePlace;
  readonly attempt: string;
  readonly kind: string;
  readonly argv: readonly string[];
  /** There. */
  readonly directory: string;
  /** Names of the variables that the program there is given. */
  readonly variables: readonly string[];
  /** Names of the files beside this one that it is given. */
  readonly files: readonly string[];
  readonly timeoutMs?: number;
  readonly graceMs: number;
  /** Where the keys are that exit records are known by. */
  readonly keys: string;
  readonly patienceMs: number;
}

/** Where the relay is. */
export interface Surroundings {
  /** Of the attempt here, in the spool. */
  readonly folder: string;
  readonly resultFile: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export const descriptionFile = 'remote.json';

/** Under this name the relay is given a variable that it needs itself, with a value of its own. */
export function aside(name: string): string {
  return `PITON_THERE_${name}`;
}
