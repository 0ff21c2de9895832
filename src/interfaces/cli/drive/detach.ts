import { shellWord } from '../../../base/index.ts';
import type { DriverProcess } from '../../../project/index.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';

export interface Detaching {
  readonly run: string;
  /** Whether the run may be begun by that. */
  readonly begins?: boolean;
  /** Added to what this process was called with. */
  readonly args?: readonly string[];
  /** What was read of standard input here: the other process has its own. */
  readonly input?: string;
}

/** Leaves a driver in the background that does what this process was asked to do; what it says goes to a log. */
export async function detach(context: Context, { args = [], ...order }: Detaching): Promise<ExitCode> {
  const { output, project, program } = context;
  const { run } = order;
  const driver = await project.startDriver({ ...order, program, args: argumentsFor(context, args) });
  const { pid, log, ended } = driver;
  output.json({ run, pid, log, ...(ended !== undefined && { exitCode: ended.exitCode }) }, true);
  return ended === undefined ? sayDriven(context, driver) : sayEnded(context, ended);
}

function argumentsFor({ argv }: Context, added: readonly string[]): string[] {
  const kept = argv.filter((arg) => arg !== '--detach' && arg !== '--json');
  // After `--` nothing is an option any more.
  const end = kept.includes('--') ? kept.indexOf('--') : kept.length;
  return kept.toSpliced(end, 0, ...added);
}

function sayDriven({ output }: Context, { run, log }: DriverProcess): ExitCode {
  output.print(`Run ${run} goes on in the background. What its driver says: ${log}`);
  output.next(`piton attach ${shellWord(run)}`);
  return exitCodes.done;
}

/** It was refused, or ended before anybody could look: what it said is all there is to say. */
function sayEnded({ output }: Context, { exitCode, said }: NonNullable<DriverProcess['ended']>): ExitCode {
  output.note(`It has ended in the background already, with exit code ${exitCode}:`);
  output.note(said);
  return exitCode as ExitCode;
}
