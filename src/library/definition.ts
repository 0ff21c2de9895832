import { PitonError } from '../base/index.ts';
import type { FunctionCall, LocateMigration, TaskFunction } from '../engine/index.ts';
import type { Variables, Workflow } from '../model/index.ts';
import type { Progress } from '../views/index.ts';
import { asker, type Ask } from './ask-options.ts';
import { renameFunctions } from './rename-functions.ts';

/** Called with what an expression would see. */
export type Closure = (variables: Variables) => unknown;

/**
 * A workflow that can be started, or be a step of another: its data, and the functions that data cannot hold.
 * The type parameters are what it takes and gives; `State` is that of a graph.
 */
export interface Definition<Inputs = never, Outputs = unknown, State = unknown> {
  /** Throws `DEFINITION_INVALID`, naming everything that is wrong. */
  readonly workflow: Workflow;
  readonly functions: Readonly<Record<string, TaskFunction>>;
  readonly closures: Readonly<Record<string, Closure>>;
  /** Of kinds that know better than the count of tasks. */
  progress?(checkpoint: {
    readonly inputs: unknown;
    readonly state?: unknown;
  }): Pick<Progress, 'done' | 'total'>;
  /** Its inputs are described in the workflow, and checked when a run is started. */
  readonly declaresInputs?: boolean;
  /** It says nothing about checkpoints: a configuration may. */
  readonly leavesCheckpoint?: boolean;
  /** Where a migration of it is written, if that is a file. */
  readonly locate?: LocateMigration;
  /** Carries the types; never there. */
  readonly types?: DefinitionTypes<Inputs, Outputs, State>;
}

/** What takes less may stand where more is given: hence the function. */
export interface DefinitionTypes<Inputs, Outputs, State> {
  readonly inputs: (inputs: Inputs) => void;
  readonly outputs: Outputs;
  readonly state: State;
}

/** What a run of this definition is given. */
export type InputsOf<D> = D extends Definition<infer Inputs, unknown, unknown> ? Inputs : never;
/** What a run of this definition gives when it has succeeded. */
export type OutputsOf<D> = D extends Definition<never, infer Outputs, unknown> ? Outputs : never;

export function isDefinition(value: unknown): value is Definition {
  return typeof value === 'object' && value !== null && 'workflow' in value && 'functions' in value;
}

/** Throws `USAGE_INVALID`. `call`: how the method is called, for those who gave something else first. */
export function assertDefinition(value: unknown, call: string): void {
  if (isDefinition(value)) return;
  const what =
    typeof value === 'string' ? `the text ${JSON.stringify(value.slice(0, 100))}` : `${typeof value}`;
  throw new PitonError('USAGE_INVALID', `The first argument must be a workflow; it is ${what}.`, {
    remedy: `Call piton.${call}: \`workflow\` is what workflow(), stateGraph() or loadWorkflow() gave.`,
  });
}

/** What every function is told besides its data. */
export interface StepContext {
  readonly run: string;
  readonly task: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** The same on every attempt of this task: give it to whatever outside can recognise a repeated request. */
  readonly key: string;
  /** Aborts when the task is to stop: time is up, the run is cancelled, or this process has to let go of it. */
  readonly signal: AbortSignal;
  /**
   * Resolves when all that has settled so far is durable. With a name, that checkpoint can be gone back to by it (`piton.fork`); the same
   * name again means the later one. Rejects with `USAGE_INVALID`, `STOPPED`.
   */
  checkpoint(name?: string): Promise<void>;
  /**
   * Asks a person, and waits for the answer; other tasks go on. The answer is kept: should this process die, the function is started again
   * once there is an answer, and gets it here. Rejects with `REJECTED`, `NO_ANSWER`, `ASK_INVALID`, `STOPPED`.
   */
  readonly ask: Ask;
}

export function stepContext(call: FunctionCall): StepContext {
  const { run, task, attempt, key, signal, checkpoint } = call;
  return { run, task, attempt, key, signal, checkpoint, ask: asker(call) };
}

/** Names its functions and closures so that they are told from those of the workflow around it. */
export function nest(definition: Definition, prefix: string): NestedDefinition {
  const rename = (name: string): string => `${prefix}/${name}`;
  const { hash: _, ...draft } = renameFunctions(definition.workflow, rename);
  return {
    draft,
    functions: renameKeys(definition.functions, rename),
    closures: renameKeys(definition.closures, rename),
  };
}

export interface NestedDefinition {
  /** Without its hash: it is hashed again where it stands. */
  readonly draft: Omit<Workflow, 'hash'>;
  readonly functions: Readonly<Record<string, TaskFunction>>;
  readonly closures: Readonly<Record<string, Closure>>;
}

function renameKeys<T>(
  record: Readonly<Record<string, T>>,
  rename: (name: string) => string,
): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [rename(name), value]));
}
