import { refuseInside } from '../../base/index.ts';
import { findProject } from '../../project/index.ts';
import type { Caller } from './caller.ts';
import type { Power } from './command-entry.ts';
import { createContext, type Context } from './context.ts';
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
  const project = await findProject({
    directory,
    environment: env,
    ...call.flags,
    confirmTrust: async (standing) => {
      const { askForTrust } = await import('./trust/ask.ts');
      return askForTrust({ output, env, stdin }, standing);
    },
  });
  const context = createContext({
    directory,
    program,
    argv,
    env,
    stdin,
    project,
    output,
    commands: fullProgram,
  });
  try {
    if (call.power !== 'reads') await assertAllowed(call.power, context);
    return await call.spec.run(context, call);
  } catch (error) {
    const { explainOrder } = await import('./explain-order.ts');
    throw await explainOrder(context, call.args, error);
  } finally {
    await context.close();
  }
}

/** Throws `INSIDE_ATTEMPT`, `TRUST_NEEDED`. */
async function assertAllowed(power: Power, context: Context): Promise<void> {
  if (power !== 'runs') refuseInside(context.env);
  if (power === 'runs' || power === 'decides') await context.project.requireTrust();
}
