import type { Command } from 'commander';
import type { Context } from './context.ts';
import type { ExitCode } from './exit-codes.ts';

/**
 * The frame of the command line, for whoever writes a command:
 *
 * - `commands/<name>.ts` exports `command = defineCommand<Options>({ configure, examples, run })`, and is named in
 *   `command-table.ts`. It is imported only when it is called, so what it imports costs nobody else anything; what is
 *   big (the library, yaml) should still be imported inside of `run`.
 * - `run` gets a `Context`: `config`, `output`, `open()` (makes the store), `openExisting()` (throws `NO_PROJECT`).
 *   Both give the same opened Piton, which the frame closes when `run` has resolved.
 * - It says what it has to say through `context.output` and returns an exit code, or throws a `PitonError`, which the
 *   frame prints (as JSON under `--json`) and turns into an exit code by the table in `exit-codes.ts`.
 * - `runs.ts` finds runs by prefix and tells of interrupted ones; `workflows.ts` finds and loads workflow files;
 *   `output/` has tables, widths, times, colours and the removal of control characters.
 */
export interface CommandSpec {
  /** Declares arguments and options. An option `--json` puts the output into JSON mode. */
  configure(command: Command): Command;
  /** Shown by `--help`: a command line and what it does. */
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  run(context: Context, given: Invocation): Promise<ExitCode>;
}

/** How a command was called. `args`: without options, in order. */
export interface Invocation<Options = Readonly<Record<string, unknown>>> {
  readonly args: readonly string[];
  readonly options: Options;
}

interface TypedSpec<Options> extends Omit<CommandSpec, 'run'> {
  run(context: Context, given: Invocation<Options>): Promise<ExitCode>;
}

/** `Options` must say what `configure` declares: nothing checks that. */
export function defineCommand<Options = object>(spec: TypedSpec<Options>): CommandSpec {
  return { ...spec, run: (context, given) => spec.run(context, given as Invocation<Options>) };
}
