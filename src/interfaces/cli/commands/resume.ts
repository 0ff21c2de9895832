import { Option } from 'commander';
import { hasCode, PitonError, shellWord } from '../../../base/index.ts';
import type { DriverView, Piton, ResumeOptions, ResumePreview, RunRecord } from '../../../library/index.ts';
import { isFinal } from '../../../model/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { detach } from '../drive/detach.ts';
import { drivenError } from '../drive/driven-error.ts';
import { driveRun } from '../drive/drive-run.ts';
import type { FoundDefinition } from '../../../project/index.ts';
import { printDrift, printPreview } from '../drive/print-preview.ts';
import { resumeAll } from '../drive/resume-all.ts';
import { showEnded } from '../drive/show-ended.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';

import { readNumber } from '../read-number.ts';
import { noticeInterrupted, oneThatCanGoOn } from '../runs.ts';

interface Options {
  readonly dryRun?: boolean;
  readonly all?: boolean;
  readonly detach?: boolean;
  readonly takeover?: boolean;
  readonly acceptDrift?: boolean;
  readonly redo?: readonly string[];
  /** What was seen of the run by whoever has this done in the background. */
  readonly seen?: number;
  readonly driverSince?: number;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    command
      .argument('[run]', 'beginning of its id; default: the one that can go on')
      .option('--dry-run', 'show what it would do for each task, and do nothing')
      .option('--all', 'every run of this project whose driver has died')
      .option('--detach', 'go on in the background')
      .option('--takeover', 'also from a driver that lives: it is ended first')
      .option('--accept-drift', 'go on with the file as it is now, where nothing that has begun differs')
      .option('--redo <tasks>', 'do these again, and all that came of them; separated by commas', asList)
      .addOption(hiddenNumber('--seen'))
      .addOption(hiddenNumber('--driver-since'))
      .option('--json', 'print events as they happen, one JSON object per line'),
  examples: [
    ['piton resume', 'go on with the run that was interrupted, is paused or held'],
    ['piton resume 4f2 --dry-run', 'what would be adopted, harvested and started again, and why'],
    ['piton resume --all', 'after a crash or a restart of the machine'],
    ['piton resume 4f2 --redo test,deploy', 'do two tasks again, and what needs them'],
  ],
  async run(context, { args, options }) {
    if (options.all === true) {
      assertAlone(args, options);
      // None of these has a driver that lives: one that does by then is somebody's who was quicker.
      const all = resumeOptions({ ...options, takeover: false });
      return resumeAll(context, all, options.dryRun === true);
    }
    const piton = await context.openExisting();
    const record = await piton.findRecord(args[0] ?? (await oneThatCanGoOn(piton)));
    await noticeInterrupted(context, { except: record.run });
    if (isFinal(record.status) && options.redo === undefined) return showWhole(context, piton, record);
    return resumeOne(context, record, options);
  },
});

/** How it ended may not be how it ends in what the journal has lost. */
async function showWhole(context: Context, piton: Piton, record: RunRecord): Promise<ExitCode> {
  const lost = await piton.findLostEnd(record.run);
  if (lost !== undefined) throw lost;
  return showEnded(context, record);
}

/** Not for people: a driver in the background is told what its caller knew. */
function hiddenNumber(flag: string): Option {
  return new Option(`${flag} <number>`).argParser((text) => readNumber(flag, text)).hideHelp();
}

/** What is meant for one run is not done to all. */
function assertAlone(args: readonly string[], { detach, redo }: Options): void {
  const given = [args[0], detach && '--detach', redo && '--redo'].find((other) => typeof other === 'string');
  if (given === undefined) return;
  throw new PitonError('USAGE_INVALID', `--all and ${given} do not go together.`, {
    remedy: 'Name one run, or leave that out.',
  });
}

async function resumeOne(context: Context, record: RunRecord, options: Options): Promise<ExitCode> {
  const { run, status } = record;
  const piton = await context.openExisting();
  const driver = await piton.driver(run);
  const isDriven = driver?.alive === true;
  if (isDriven && status === 'paused') return unpause(context, run);
  const found = await context.project.definitionOf(run, await context.openExisting());
  if (found.note !== undefined) context.output.note(found.note);
  if (found.note !== undefined && options.acceptDrift === true) throw nothingToAccept(run);
  const preview = await piton.preview(run, found.definition);
  // What it would do for tasks that another process is busy with would be no more than a guess.
  if (!isDriven) printPreview(context, preview, options.redo);
  if (options.dryRun === true) return afterDryRun(context, { run, found, preview, options });
  const beliefs = beliefsOf(options, preview, driver);
  if (options.detach === true) return detach(context, { run, args: argumentsFor(beliefs) });
  return drive(context, { run, found, preview, options: { ...resumeOptions(options), ...beliefs } });
}

/** What is to be done was decided on this. */
interface Beliefs {
  readonly seen: number;
  readonly driverSince: number;
}

function beliefsOf(options: Options, { version }: ResumePreview, driver?: DriverView): Beliefs {
  const { seen = version, driverSince = driver?.since ?? 0 } = options;
  return { seen, driverSince };
}

function argumentsFor({ seen, driverSince }: Beliefs): readonly string[] {
  return [`--seen=${seen}`, `--driver-since=${driverSince}`];
}

/** Whoever wants what the file says must not get what it said before. */
function nothingToAccept(run: string): PitonError {
  return new PitonError('RUN_CHANGED', `Run ${run} has no other definition that could be accepted.`, {
    run,
    remedy: 'Mend the file first, or leave out --accept-drift.',
  });
}

interface Going<Given> {
  readonly run: string;
  readonly found: FoundDefinition;
  readonly preview: ResumePreview;
  readonly options: Given;
}

async function drive(
  context: Context,
  { run, found, preview, options }: Going<ResumeOptions>,
): Promise<ExitCode> {
  try {
    return await driveRun(context, { run, definition: found.definition, ...options });
  } catch (thrown) {
    if (hasCode(thrown, 'RUN_CHANGED')) printDrift(context, preview);
    throw thrown;
  }
}

function resumeOptions({ takeover, acceptDrift, redo }: Options): ResumeOptions {
  return {
    ...(takeover === true && { takeover: 'kill' as const }),
    ...(acceptDrift === true && { acceptDrift }),
    ...(redo !== undefined && { redo }),
  };
}

/** Of a paused run that is driven, going on means to end the pause; its driver does the rest. */
async function unpause({ output, openExisting }: Context, id: string): Promise<ExitCode> {
  const run = await (await openExisting()).find(id);
  const { status, text } = await run.unpause();
  output.json({ run: id, status, text }, true);
  output.print(text);
  output.next(`piton attach ${shellWord(id)}`);
  return status === 'refused' ? exitCodes.refused : exitCodes.done;
}

async function afterDryRun(context: Context, { run, preview, options }: Going<Options>): Promise<ExitCode> {
  const { output } = context;
  const driver = await (await context.openExisting()).driver(run);
  if (driver?.alive === true) throw drivenError(run, driver);
  output.json(preview, true);
  const isRefused = preview.drift.some(({ begun }) => begun);
  const accept = options.acceptDrift === true ? ' --accept-drift' : '';
  const redo = options.redo === undefined ? '' : ` --redo ${shellWord(options.redo.join(','))}`;
  output.next(isRefused ? `piton drift ${shellWord(run)}` : `piton resume ${shellWord(run)}${accept}${redo}`);
  return isRefused ? exitCodes.refused : exitCodes.done;
}

/** Items are named by keys, in which there may be commas: `build[linux,22]`. */
function asList(text: string): string[] {
  return text.split(/,(?![^[]*\])/).map((name) => name.trim());
}
