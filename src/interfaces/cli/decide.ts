import type { Command } from 'commander';
import { hasCode, PitonError, shellWord } from '../../base/index.ts';
import type { Checkpoint, CommandResult, Run } from '../../library/index.ts';
import type { Context } from './context.ts';
import type { DriveOptions } from './drive/drive-run.ts';
import { assertChoice, choiceOf, type DriftOptions } from './drive/drift-options.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';

export interface Decision {
  readonly run: string;
  /** Puts the decision to the run. */
  send(run: Run): Promise<CommandResult>;
  /** Goes on with the run here if nobody drives it, so that the decision takes effect; else it only waits. */
  readonly mayDrive: boolean;
  /** With which definition it goes on then. */
  readonly drift?: DriftOptions;
}

/** Options of every command that decides something about a run. */
export function configureDecision(command: Command): Command {
  return command
    .option('--no-drive', 'only leave the decision for whoever resumes the run, if nobody drives it')
    .option('--json', 'print JSON');
}

/** Decides something about a run, whoever drives it. Throws `COMMAND_REFUSED`. */
export async function decide(
  context: Context,
  { run: id, send, mayDrive, drift = {} }: Decision,
): Promise<ExitCode> {
  const { output } = context;
  const handle = await (await context.openExisting()).find(id);
  await assertAcceptable(context, { run: id, mayDrive, drift });
  const result = await send(handle);
  if (result.status !== 'queued' || !mayDrive) {
    sayNotAccepted(context, drift);
    return sayDecided(context, id, result);
  }
  output.note('Nobody drives the run: it goes on here.');
  const decided = async (): Promise<CommandResult> =>
    foremost(await Promise.all((result.ids ?? []).map((each) => handle.decided(each))))!;
  try {
    // Whoever only stops something was not asked yet.
    await context.project.requireTrust();
    return await driveOn(context, { run: id, ...choiceOf(drift) }, decided);
  } catch (thrown) {
    const answer = await decided().catch(() => undefined);
    // Somebody else goes on with it now, and decides this too.
    if (hasCode(thrown, 'RUN_DRIVEN') && answer !== undefined && answer.status !== 'queued')
      return sayDecided(context, id, answer);
    if (answer?.status === 'queued')
      output.note('The decision is kept, and takes effect when the run goes on.');
    throw thrown;
  }
}

/** What cannot be accepted is refused before the decision is noted: it was made for that definition. */
async function assertAcceptable(
  context: Context,
  { run, mayDrive, drift = {} }: Omit<Decision, 'send'>,
): Promise<void> {
  if (!mayDrive || drift.acceptDrift !== true) return;
  await context.project.requireTrust();
  assertChoice(run, drift, await context.project.definitionOf(run, await context.openExisting()));
}

/** Who has decided something else may have been quicker: then the run goes on with that, and this one is told at the end. */
async function driveOn(
  context: Context,
  driving: DriveOptions,
  decided: () => Promise<CommandResult>,
): Promise<ExitCode> {
  const { driveRun } = await import('./drive/drive-run.ts');
  let answer: CommandResult | undefined;
  const begun = async (): Promise<void> => void (answer = await decided());
  const code = await driveRun(context, { ...driving, begun });
  if (answer?.status === 'refused') throw refused(driving.run, answer.text);
  return code;
}

function sayNotAccepted({ output }: Context, { acceptDrift }: DriftOptions): void {
  if (acceptDrift === true)
    output.note(
      'The run does not continue here: it keeps its definition until it is resumed with --accept-drift.',
    );
}

function sayDecided({ output }: Context, id: string, { ids: _, ...result }: CommandResult): ExitCode {
  if (result.status === 'refused') throw refused(id, result.text);
  output.json({ run: id, ...result });
  output.print(`Run ${id}: ${result.text}.`);
  output.next(result.status === 'queued' ? `piton resume ${shellWord(id)}` : `piton attach ${shellWord(id)}`);
  return exitCodes.done;
}

/** The first that is refused counts: it says why. */
function foremost(results: readonly CommandResult[]): CommandResult | undefined {
  return results.find(({ status }) => status === 'refused') ?? results[0];
}

/** Those that have settled together: one that has failed and stays would stop the others again. */
export async function sendAll(
  checkpoint: Pick<Checkpoint, 'tasks'>,
  tasks: readonly string[],
  send: (task: string, also: readonly string[]) => Promise<CommandResult>,
): Promise<CommandResult> {
  const [first, ...also] = tasks.filter((task) => isReopened(checkpoint, task));
  const others = tasks.filter((task) => !isReopened(checkpoint, task));
  const results = await Promise.all([
    ...(first === undefined ? [] : [send(first, also)]),
    ...others.map((task) => send(task, [])),
  ]);
  const ids = results.flatMap((result) => result.ids ?? []);
  return { ...foremost(results)!, ...(ids.length > 0 && { ids }) };
}

/** It has settled: to decide about it otherwise is to open it again. */
export function isReopened({ tasks }: Pick<Checkpoint, 'tasks'>, task: string): boolean {
  const status = tasks[task]?.status;
  return status === 'failed' || status === 'succeeded';
}

export function cannotWait(run: string): PitonError {
  const message = 'What has settled is opened anew by whoever drives the run: that cannot be left for later.';
  return new PitonError('USAGE_INVALID', message, { run, remedy: 'Leave --no-drive out.' });
}

export function refused(run: string, text: string): PitonError {
  return new PitonError('COMMAND_REFUSED', `Run ${run} refuses: ${text}.`, {
    run,
    remedy: `See how it stands: piton status ${shellWord(run)}.`,
  });
}
