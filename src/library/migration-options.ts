import type { Workflow } from '../model/index.ts';
import type { Closure } from './definition.ts';
import { inputsOf, stateOf } from './views.ts';

/** The version of a workflow as its settings have it. */
export type VersionOption = string | number;

/** What one version changes in the data of runs that were parked at the version before. Each function gives the whole new value. */
export interface MigrationOptions<Inputs, Tasks extends string> {
  /** From the inputs as they were: `(old: { name: string }) => ({ title: old.name })`. */
  readonly inputs?: (old: never) => Inputs;
  /** From the output as it was, by task: of each item of a for-each, and each visit of a node. */
  readonly outputs?: Readonly<Partial<Record<Tasks, (old: never) => unknown>>>;
}

/** What one version of a graph changes in the data of runs that were parked at the version before. Each function gives the whole new value. */
export interface GraphMigrationOptions<State, Nodes extends string> {
  /** From the state as it was: `(old: { text: string }) => ({ draft: old.text })`. */
  readonly state?: (old: never) => State;
  /** From the output of a node as it was, of each visit. */
  readonly outputs?: Readonly<Partial<Record<Nodes, (old: never) => unknown>>>;
}

/** What the typed faces come down to. */
export interface AnyMigrationOptions {
  readonly inputs?: (old: never) => unknown;
  readonly state?: (old: never) => unknown;
  readonly outputs?: Readonly<Record<string, ((old: never) => unknown) | undefined>>;
}

/** By the version that is come to. */
export type Migrations = ReadonlyMap<number, AnyMigrationOptions>;

export interface MigrationParts {
  readonly migrations: Workflow['migrations'];
  readonly closures: Readonly<Record<string, Closure>>;
}

/** The migrations as data, and their functions by name. */
export function migrationParts(given: Migrations): MigrationParts {
  const closures: Record<string, Closure> = {};
  const name = (closure: string, call: Closure) => {
    closures[closure] = call;
    return { $function: closure };
  };
  const specs = Array.from(given, ([version, { inputs, state, outputs = {} }]) => {
    const at = `migrate:${version}`;
    const ofTasks = Object.entries(outputs).flatMap(([task, migrate]) =>
      migrate === undefined
        ? []
        : [[task, name(`${at}:outputs:${task}`, ({ output }) => migrate(output as never))] as const],
    );
    const spec = {
      ...(inputs && { inputs: name(`${at}:inputs`, (known) => inputs(inputsOf(known) as never)) }),
      ...(state && { state: name(`${at}:state`, (known) => state(stateOf(known) as never)) }),
      ...(ofTasks.length > 0 && { outputs: Object.fromEntries(ofTasks) }),
    };
    return [String(version), spec] as const;
  });
  return { migrations: specs.length === 0 ? undefined : Object.fromEntries(specs), closures };
}

/** The settings of a builder may have a number. */
export function versionText(version: VersionOption | undefined): string | undefined {
  return version === undefined ? undefined : String(version);
}
