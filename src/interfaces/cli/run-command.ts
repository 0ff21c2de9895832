import { resolveConfig } from '../../config/index.ts';
import type { Caller } from './caller.ts';
import { createContext } from './context.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import type { Output } from './output/index.ts';
import { fullProgram, readCall, type Call } from './program.ts';
import { reportError } from './report-error.ts';

/** Reads a command line, carries it out, closes what it opened, and says what went wrong. */
export async function runCommand(argv: readonly string[], output: Output, caller: Caller): Promise<ExitCode> {
  try {
    const call = await readCall(argv, output);
    return call === undefined ? exitCodes.done : await carryOut({ ...call, argv }, output, caller);
  } catch (error) {
    return reportError(output, error);
  }
}

async function carryOut(
  { argv, ...call }: Call & { readonly argv: readonly string[] },
  output: Output,
  { program, env, stdin, ...caller }: Caller,
): Promise<ExitCode> {
  const directory = caller.directory();
  const config = await resolveConfig({ directory, env, flags: call.flags });
  const context = createContext({
    directory,
    program,
    argv,
    env,
    stdin,
    config,
    output,
    commands: fullProgram,
  });
  try {
    return await call.spec.run(context, call);
  } finally {
    await context.close();
  }
}
