import type { Json } from '../base/index.ts';
import type { Evaluator, JsonSchema, Variables, Workflow } from '../model/index.ts';

/** A workflow with all that is needed to run it and cannot be written down. */
export interface Program {
  readonly workflow: Workflow;
  readonly evaluator: Evaluator;
  /** Whether there is a function or closure of this name. */
  knows(name: string): boolean;
  /** For another definition of the same workflow, with the same functions. */
  evaluatorFor(workflow: Workflow): Promise<Evaluator>;
  /** By the names that the workflow's tasks give. */
  readonly functions: Readonly<Record<string, TaskFunction>>;
  /** Gives a check that lists what is wrong with a value. */
  compileSchema(schema: JsonSchema): Promise<(value: Json) => readonly string[]>;
}

/** What it returns or resolves to is the task's output; what it throws is the reason of its failure. */
export type TaskFunction = (call: FunctionCall) => unknown;

export interface FunctionCall {
  readonly run: string;
  readonly task: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** The same on every attempt: for idempotent effects outside. */
  readonly key: string;
  /** What `with` gave, or nothing. */
  readonly given: Json | undefined;
  readonly variables: Variables;
  /** Aborts when the attempt is to stop: time is up, the run is cancelled, the driver stops or lost its lease. */
  readonly signal: AbortSignal;
  /** Resolves when all that has settled so far is durable. For checkpoint policies weaker than every task. */
  checkpoint(): Promise<void>;
}
