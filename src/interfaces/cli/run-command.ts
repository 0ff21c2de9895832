import { resolveConfig } from '../../config/index.ts';
import { createContext } from './context.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import type { Output } from './output/index.ts';
import { fullProgram, readCall } from './program.ts';

/** Reads a command line, carries it out and closes what it opened. */
export async function runCommand(argv: readonly string[], output: Output): Promise<ExitCode> {
  const call = await readCall(argv);
  if (call === undefined) return exitCodes.done;
  const directory = process.cwd();
  const config = await resolveConfig({ directory, env: process.env, flags: call.flags });
  const context = createContext({ directory, env: process.env, config, output, commands: fullProgram });
  try {
    return await call.spec.run(context, call);
  } finally {
    await context.close();
  }
}
