import { hasCode, PitonError } from '../../../base/index.ts';
import type { Definition, ResumeOptions, Run } from '../../../library/index.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { driveHere } from './drive-here.ts';
import { drivenError, type Driver } from './driven-error.ts';
import { exitCodeOfEnding, type Ended } from './ending.ts';
import { printSummary } from './summary.ts';
import { tidyUp } from './tidy-up.ts';

export interface DriveOptions extends ResumeOptions {
  readonly run: string;
  /** Default: the one of the file it was started from. */
  readonly definition?: Definition;
  /** Called when the run is taken up, or found to have ended: what was asked of it before is decided by then. */
  begun?(): Promise<void>;
}

/**
 * Goes on with a run in this process until it has ended, waits for a person, or a signal asks us to stop; shows its
 * progress and what became of it. Throws what `piton.resume` throws; a run that is driven elsewhere: `RUN_DRIVEN`.
 */
export async function driveRun(
  context: Context,
  { run, definition, begun, ...options }: DriveOptions,
): Promise<ExitCode> {
  const piton = await context.open();
  const given = definition ?? (await noted(context, run));
  return driveToExit(context, async () => {
    const taken = await resumed(() => piton.resume(given, run, options), run);
    await begun?.();
    return [taken];
  });
}

/** The same for whatever begins one run, or attaches to one. */
export async function driveToExit(context: Context, begin: () => Promise<readonly [Run]>): Promise<ExitCode> {
  const { output } = context;
  const piton = await context.open();
  await tidyUp(context, piton);
  const [ended] = await driveHere({ piton, output }, begin);
  return conclude(context, ended!);
}

/** Says what became of a run, and gives the exit code. An error that ended the driving is thrown: the frame prints it. */
export function conclude({ output }: Pick<Context, 'output'>, ended: Ended): ExitCode {
  if (ended.error !== undefined) throw ended.error;
  printSummary(output, ended);
  return exitCodeOfEnding(ended.ending);
}

async function noted(context: Context, run: string): Promise<Definition> {
  const { definition, note } = await context.project.definitionOf(run, await context.openExisting());
  if (note !== undefined) context.output.note(note);
  return definition;
}

/** Whoever finds the run driven elsewhere is told what can be done about that from a command line. */
export async function resumed<T>(resume: () => Promise<T>, run: string): Promise<T> {
  try {
    return await resume();
  } catch (thrown) {
    if (!hasCode(thrown, 'RUN_DRIVEN') || !(thrown instanceof PitonError)) throw thrown;
    throw drivenError(run, thrown.details as unknown as Driver, thrown);
  }
}
