import { asError, PitonError } from '../../../base/index.ts';
import type { ResumeOptions, Run } from '../../../library/index.ts';
import type { Context } from '../context.ts';
import { Damages } from '../damages.ts';
import { exitCodeOf, exitCodes, type ExitCode } from '../exit-codes.ts';
import { reportError } from '../report-error.ts';
import { interruptedRuns, mendableRuns } from '../runs.ts';
import { chooseDefinition } from './choose-definition.ts';
import { driveHere } from './drive-here.ts';
import { resumed } from './drive-run.ts';
import { exitCodeOfEnding, worstOf, type Ended } from './ending.ts';
import { mendRun } from './mend-run.ts';
import { printPreview } from './print-preview.ts';
import { printSummary } from './summary.ts';
import { removeOldRuns, tidyUp } from './tidy-up.ts';

/** Goes on with every run whose driver has died, all in this process. One that is refused does not keep the others. */
export async function resumeAll(
  context: Context,
  options: ResumeOptions,
  isDryRun: boolean,
): Promise<ExitCode> {
  const damages = new Damages();
  const piton = await context.openIfAny();
  if (piton !== undefined && !isDryRun && context.config.onDamage === 'repair')
    for (const run of await mendableRuns(piton)) await mendRun(context, piton, run);
  const found = piton === undefined ? [] : await interruptedRuns(piton, damages);
  const code = damages.report(context.output);
  const runs = found.map(({ run }) => run);
  return worstOf([code, await resumeThese(context, runs, { options, isDryRun })]);
}

async function resumeThese(
  context: Context,
  runs: readonly string[],
  { options, isDryRun }: { readonly options: ResumeOptions; readonly isDryRun: boolean },
): Promise<ExitCode> {
  if (!isDryRun) await removeOldRuns(context);
  if (runs.length === 0) return nothingToDo(context);
  if (isDryRun) return preview(context, runs);
  const refusals: ExitCode[] = [];
  const begin = async (): Promise<readonly Run[]> => {
    const begun: Run[] = [];
    for (const run of runs) {
      try {
        begun.push(await resumeOne(context, run, options));
      } catch (thrown) {
        refusals.push(refuse(context, run, thrown));
      }
    }
    return begun;
  };
  const piton = await context.open();
  await tidyUp(context, piton);
  const ended = await driveHere({ ...context, piton, isShared: runs.length > 1 }, begin);
  return worstOf([...refusals, ...ended.map((one) => concludeOne(context, one))]);
}

async function resumeOne(context: Context, run: string, options: ResumeOptions): Promise<Run> {
  const piton = await context.open();
  const { definition, options: chosen } = await chooseDefinition(context, { run, found: undefined, options });
  return resumed(() => piton.resume(definition, run, chosen), run);
}

function refuse({ output }: Context, run: string, thrown: unknown): ExitCode {
  output.note(`Run ${run} does not go on:`);
  reportError(output, thrown);
  const error = asError(thrown);
  return error instanceof PitonError ? exitCodeOf(error.code) : exitCodes.failed;
}

function concludeOne(context: Context, ended: Ended): ExitCode {
  if (ended.error !== undefined) return refuse(context, ended.view.run, ended.error);
  printSummary(context.output, ended);
  return exitCodeOfEnding(ended.ending);
}

async function preview(context: Context, runs: readonly string[]): Promise<ExitCode> {
  const piton = await context.open();
  for (const run of runs) {
    const { definition } = await context.project.definitionOf(run, await context.openExisting());
    const preview = await piton.preview(run, definition);
    context.output.json(preview, true);
    printPreview(context, preview);
  }
  context.output.next('piton resume --all');
  return exitCodes.done;
}

function nothingToDo({ output }: Context): ExitCode {
  output.print('No run was interrupted.');
  output.next('piton list');
  return exitCodes.done;
}
