import { resolveConfig } from '../../config/index.ts';
import { createContext } from './context.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { divertStdout, type Output } from './output/index.ts';
import { fullProgram, readCall } from './program.ts';
import { reportError } from './report-error.ts';

/** Reads a command line, carries it out and closes what it opened. */
export async function runCommand(argv: readonly string[], output: Output): Promise<ExitCode> {
  const call = await readCall(argv);
  if (call === undefined) return exitCodes.done;
  process.once('uncaughtException', (thrown) => leaveAtOnce(output, thrown));
  if (output.isJson) divertStdout((line) => output.note(line));
  const directory = process.cwd();
  const config = await resolveConfig({ directory, env: process.env, flags: call.flags });
  const context = createContext({ directory, env: process.env, config, output, commands: fullProgram });
  try {
    return await call.spec.run(context, call);
  } finally {
    await context.close();
  }
}

/** Somewhere in a workflow's own code nobody waited for it: no state can be trusted, except what is stored. */
function leaveAtOnce(output: Output, thrown: unknown): never {
  const code = reportError(output, thrown);
  output.note('A run that was driven here is interrupted: piton resume goes on with it.');
  process.exit(code);
}
