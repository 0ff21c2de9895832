import type { Json } from '../base/index.ts';
import type { LocateMigration } from './migration-place.ts';
import type { AnswerForm, Evaluator, JsonSchema, Variables, Workflow } from '../model/index.ts';

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
  /** A hash of the text of each function that the user wrote, by name. */
  sources(): Readonly<Record<string, string>>;
  /** Where a migration is written, if that is a file. */
  readonly locate?: LocateMigration | undefined;
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
  checkpoint(name?: string): Promise<void>;
  /** Asks a person, once: asked again by a later attempt, it gives the same answer. Rejects with `REJECTED`, `NO_ANSWER`, `ASK_INVALID`, `STOPPED`. */
  ask(question: AskedOfPerson): Promise<Json>;
}

/** What a function asks a person. */
export interface AskedOfPerson extends AnswerForm {
  readonly text: string;
  /** Becomes the answer when time is up. */
  readonly default?: Json;
  readonly deadlineMs?: number;
  /** By which it is known again. Default: its text, and how often that was asked before. */
  readonly key?: string;
}
