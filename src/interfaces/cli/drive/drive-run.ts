import { PitonError } from '../../../base/index.ts';
import type { Drift, ResumeOptions, Run } from '../../../library/index.ts';
import type { FoundDefinition } from '../../../project/index.ts';
import { commandForRun } from '../command-for.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { chooseDefinition } from './choose-definition.ts';
import { driveHere } from './drive-here.ts';
import { drivenError, type Driver } from './driven-error.ts';
import { exitCodeOfEnding, type Ended } from './ending.ts';
import { changedError } from './print-drift.ts';
import { printSummary } from './summary.ts';
import { tidyUp } from './tidy-up.ts';

export interface DriveOptions extends ResumeOptions {
  readonly run: string;
  /** What to type if it is refused, with a choice; default: to resume it. */
  readonly command?: string;
  /** Whoever has looked for it already has told how it differs. Default: that of the file it was started from. */
  readonly found?: FoundDefinition;
  /** Called when the run is taken up, or found to have ended: what was asked of it before is decided by then. */
  begun?(): Promise<void>;
}

/**
 * Goes on with a run in this process until it has ended, waits for a person, or a signal asks us to stop; shows its
 * progress and what became of it. Throws what `piton.resume` throws; a run that is driven elsewhere: `RUN_DRIVEN`.
 */
export async function driveRun(
  context: Context,
  { run, command, found, begun, ...given }: DriveOptions,
): Promise<ExitCode> {
  const piton = await context.open();
  const { definition, options } = await chooseDefinition(context, { run, found, options: given });
  return driveToExit(context, async () => {
    const taken = await resumed(() => piton.resume(definition, run, options), run, command);
    await begun?.();
    return [taken];
  });
}

/** The same for whatever begins one run, or attaches to one. */
export async function driveToExit(context: Context, begin: () => Promise<readonly [Run]>): Promise<ExitCode> {
  const piton = await context.open();
  await tidyUp(context, piton);
  const [ended] = await driveHere({ ...context, piton }, begin);
  return conclude(context, ended!);
}

/** Says what became of a run, and gives the exit code. An error that ended the driving is thrown: the frame prints it. */
export function conclude({ output }: Pick<Context, 'output'>, ended: Ended): ExitCode {
  if (ended.error !== undefined) throw ended.error;
  printSummary(output, ended);
  return exitCodeOfEnding(ended.ending);
}

/** Whoever finds the run driven elsewhere, or its file changed, is told what can be done about that from a command line. */
export async function resumed<T>(
  resume: () => Promise<T>,
  run: string,
  command = commandForRun('resume', run),
): Promise<T> {
  try {
    return await resume();
  } catch (thrown) {
    if (!(thrown instanceof PitonError)) throw thrown;
    if (thrown.code === 'RUN_DRIVEN') throw drivenError(run, thrown.details as unknown as Driver, thrown);
    const { drift } = thrown.details as { readonly drift?: readonly Drift[] };
    if (drift === undefined) throw thrown;
    const canAccept = !drift.some(({ verdict }) => verdict === 'structural');
    throw changedError(run, { command, drift, canAccept }, thrown);
  }
}
