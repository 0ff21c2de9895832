import { Option } from 'commander';
import { PitonError, shellWord } from '../../../base/index.ts';
import type { DriverView, Piton, ResumeOptions, ResumePreview, RunRecord } from '../../../library/index.ts';
import { isFinal } from '../../../model/index.ts';
import { commandForRun } from '../command-for.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { confirmRedo, printReruns } from '../drive/confirm-redo.ts';
import { detach } from '../drive/detach.ts';
import { drivenError } from '../drive/driven-error.ts';
import { driveRun } from '../drive/drive-run.ts';
import type { FoundDefinition } from '../../../project/index.ts';
import { assertChoice, choiceOf, configureDrift, flagOf, type DriftOptions } from '../drive/drift-options.ts';
import { mendRun } from '../drive/mend-run.ts';
import { changedError, choicesFor, printChoices } from '../drive/print-drift.ts';
import { printPreview } from '../drive/print-preview.ts';
import { resumeAll } from '../drive/resume-all.ts';
import { resumeFrom } from '../drive/resume-from.ts';
import { showEnded } from '../drive/show-ended.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { readNumber } from '../read-number.ts';
import { noticeInterrupted, oneThatCanGoOn } from '../runs.ts';

interface Options extends DriftOptions {
  readonly dryRun?: boolean;
  readonly all?: boolean;
  readonly detach?: boolean;
  readonly takeover?: boolean;
  readonly redo?: readonly string[];
  readonly from?: string;
  readonly yes?: boolean;
  /** Succeeded tasks that a person has agreed to run again. */
  readonly confirmed?: readonly string[];
  /** What was seen of the run by whoever has this done in the background. */
  readonly seen?: number;
  readonly driverSince?: number;
  /** Nobody is there who could choose. */
  readonly keepOlder?: boolean;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    configureDrift(command.argument('[run]', 'beginning of its id; default: the one that can go on'))
      .option('--dry-run', 'show what it would do for each task, and do nothing')
      .option('--all', 'every run of this project whose driver has died')
      .option('--detach', 'go on in the background')
      .option('--takeover', 'also from a driver that lives: it is ended first')
      .option('--redo <tasks>', 'run these again, and what depends on them; separated by commas', asList)
      .option('--from <checkpoint>', 'a fork takes its place, from an earlier checkpoint or before a task')
      .option('--yes', 'with --redo and --from: do not ask')
      .addOption(new Option('--confirmed <tasks>').argParser(asList).hideHelp())
      .addOption(new Option('--keep-older').hideHelp())
      .addOption(hiddenNumber('--seen'))
      .addOption(hiddenNumber('--driver-since'))
      .option('--json', 'print events as they happen, one JSON object per line'),
  examples: [
    ['piton resume', 'go on with the run that was interrupted, is paused or held'],
    ['piton resume 4f2 --dry-run', 'what would be adopted, harvested and started again, and why'],
    ['piton resume --all', 'after a crash or a restart of the machine'],
    ['piton resume 4f2 --redo test,deploy', 'run two tasks again, and what depends on them'],
    ['piton resume 4f2 --from build', 'go back to before build, in a new run'],
  ],
  async run(context, { args, options }) {
    if (options.all === true) {
      assertAlone(args, options);
      // None of these has a driver that lives: one that does by then is somebody's who was quicker.
      const all = resumeOptions({ ...options, takeover: false });
      return resumeAll(context, all, options.dryRun === true);
    }
    const piton = await context.openExisting();
    const record = await piton.findRecord(args[0] ?? (await oneThatCanGoOn(context, piton)));
    await noticeInterrupted(context, { except: record.run });
    if (options.from !== undefined)
      return resumeFrom(context, record.run, { ...options, from: options.from });
    if (options.dryRun !== true) await mendRun(context, piton, record.run);
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
function assertAlone(args: readonly string[], { detach, redo, from }: Options): void {
  const given = [args[0], detach && '--detach', redo && '--redo', from && '--from'].find(
    (other) => typeof other === 'string',
  );
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
  if (isDriven && status === 'paused' && options.redo === undefined) return unpause(context, run);
  const found = await context.project.definitionOf(run, await context.openExisting());
  if (found.note !== undefined) context.output.note(found.note);
  assertChoice(run, options, found);
  const preview = await piton.preview(run, found.definition);
  // What it would do for tasks that another process is busy with would be no more than a guess.
  if (!isDriven) printPreview(context, preview, options.redo);
  if (options.dryRun === true) return afterDryRun(context, { run, found, preview, options });
  if (isRefused(preview, options)) throw changedError(run, { ...preview, command: commandOf(run, options) });
  return goOn(context, { run, found, preview, options }, driver);
}

async function goOn(context: Context, going: Going, driver?: DriverView): Promise<ExitCode> {
  const { run, found, preview, options } = going;
  const rerunSucceeded = await confirmed(context, run, options);
  if (rerunSucceeded === undefined) return exitCodes.refused;
  const beliefs = { ...beliefsOf(options, preview, driver), rerunSucceeded };
  if (options.detach === true) return detach(context, { run, args: argumentsFor(beliefs) });
  const command = commandOf(run, options);
  return driveRun(context, { run, found, command, ...resumeOptions(options), ...beliefs });
}

/** The succeeded tasks that may run again; undefined if the person does not want that. */
async function confirmed(
  context: Context,
  run: string,
  { redo, ...options }: Options,
): Promise<readonly string[] | undefined> {
  if (redo === undefined) return [];
  if (options.confirmed !== undefined) return options.confirmed;
  const typed = `${commandForRun('resume', run)}${flagOf(options)}`;
  const flag = `--redo ${shellWord(redo.join(','))}`;
  return confirmRedo(context, { run, wish: { redo }, flags: { ...options, redo: true }, typed, flag });
}

/** What is to be done was decided on this. */
interface Beliefs {
  readonly seen: number;
  readonly driverSince: number;
  readonly rerunSucceeded: readonly string[];
}

function beliefsOf(
  options: Options,
  { version }: ResumePreview,
  driver?: DriverView,
): Omit<Beliefs, 'rerunSucceeded'> {
  const { seen = version, driverSince = driver?.since ?? 0 } = options;
  return { seen, driverSince };
}

function argumentsFor({ seen, driverSince, rerunSucceeded }: Beliefs): readonly string[] {
  const confirmed = rerunSucceeded.length === 0 ? [] : [`--confirmed=${rerunSucceeded.join(',')}`];
  return [`--seen=${seen}`, `--driver-since=${driverSince}`, ...confirmed];
}

/** What is re-run is re-run as it is defined now: what that leaves of the difference is known when it is open again. */
function isRefused(preview: ResumePreview, options: Options): boolean {
  const { acceptDrift, keepDefinition, keepOlder, redo } = options;
  if (keepDefinition === true || keepOlder === true || redo !== undefined) return false;
  return acceptDrift === true ? !preview.canAccept : preview.mustChoose;
}

/** As it would be typed, without a choice between definitions. */
function commandOf(run: string, { redo }: Options): string {
  const command = commandForRun('resume', run);
  return redo === undefined ? command : `${command} --redo ${shellWord(redo.join(','))}`;
}

interface Going {
  readonly run: string;
  readonly found: FoundDefinition;
  readonly preview: ResumePreview;
  readonly options: Options;
}

/** Without a word about it, a definition that migrates the run counts, and no other. */
function resumeOptions({ takeover, redo, keepOlder: _, ...options }: Options): ResumeOptions {
  return {
    ...(redo === undefined && { keepDefinition: 'unless-migrated' as const }),
    ...(takeover === true && { takeover: 'kill' as const }),
    ...choiceOf(options),
    ...(options.acceptDrift === true && { keepDefinition: false }),
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

async function afterDryRun(context: Context, { run, preview, options }: Going): Promise<ExitCode> {
  const { output } = context;
  const driver = await (await context.openExisting()).driver(run);
  if (driver?.alive === true) throw drivenError(run, driver);
  const reruns =
    options.redo && (await (await context.openExisting()).previewRedo(run, { redo: options.redo }));
  if (reruns !== undefined) printReruns(context, reruns);
  output.json({ ...preview, ...(reruns !== undefined && { reruns: reruns.tasks }) }, true);
  const command = commandOf(run, options);
  if (isRefused(preview, options)) {
    printChoices(context, choicesFor({ ...preview, command }));
    return exitCodes.refused;
  }
  output.next(`${command}${flagOf(options)}`);
  return exitCodes.done;
}

/** Items are named by keys, in which there may be commas: `build[linux,22]`. */
function asList(text: string): string[] {
  return text.split(/,(?![^[]*\])/).map((name) => name.trim());
}
