import type { CommandDraft } from '../definition/index.ts';
import type { Capture, InheritEnv, JsonSchema } from '../model/index.ts';
import type { PlaceOptions } from './place-options.ts';
import type { StepOptions } from './task-options.ts';

/** Text for a shell, or a program and its arguments, which no shell sees. Both may hold expressions: `${{ inputs.name }}`. */
export type Command = string | readonly string[];

/** What a command can be told besides what every task can. */
export interface CommandOptions extends StepOptions, PlaceOptions {
  /** Only for text; default `sh`. */
  readonly shell?: string;
  /** Added to the environment. Values may hold expressions. */
  readonly env?: Readonly<Record<string, string | number | boolean | null>>;
  /** Environment variables of this process that the command gets, and that are written down nowhere. */
  readonly secrets?: readonly string[];
  /** What else of this process's environment it gets: names, of which `AWS_*` are all that begin so, or true for all; default: a base. */
  readonly inheritEnv?: InheritEnv;
  /** Relative to the folder of the run. */
  readonly workingDirectory?: string;
  /** What of its standard output is the task's output; default: text, or JSON if `output` asks for more than text. */
  readonly capture?: Capture;
  /** What becomes of work that conflicts with that of others: a person is asked. */
  readonly onConflict?: 'hold';
}

/** What a command gives: text, unless it is told to give something else. */
export type Printed<Kind extends Capture, Schema> = [Schema] extends [JsonSchema]
  ? unknown
  : [Kind] extends ['json']
    ? unknown
    : [Kind] extends ['none']
      ? null
      : string;

/** The options that the type of the output comes from. */
export interface PrintedOptions<Kind, Schema> {
  readonly capture?: Kind;
  readonly output?: Schema;
}

export function commandDraft(options: CommandOptions, run: Command): CommandDraft {
  const { shell, env, secrets, inheritEnv, workingDirectory, capture } = options;
  return { type: 'command', run, shell, env, secrets, inheritEnv, workingDirectory, capture };
}
