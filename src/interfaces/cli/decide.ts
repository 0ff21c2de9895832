import { hasCode, PitonError, shellWord } from '../../base/index.ts';
import type { Checkpoint, CommandResult, Run } from '../../library/index.ts';
import type { Context } from './context.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';

export interface Decision {
  readonly run: string;
  /** Puts the decision to the run. */
  send(run: Run): Promise<CommandResult>;
  /** Goes on with the run here if nobody drives it, so that the decision takes effect; else it only waits. */
  readonly mayDrive: boolean;
}

/** Decides something about a run, whoever drives it. Throws `COMMAND_REFUSED`. */
export async function decide(context: Context, { run: id, send, mayDrive }: Decision): Promise<ExitCode> {
  const { output } = context;
  const handle = await (await context.openExisting()).find(id);
  const result = await send(handle);
  if (result.status !== 'queued' || !mayDrive) return sayDecided(context, id, result);
  output.note('Nobody drives the run: the decision is noted, and the run goes on here.');
  const decided = async (): Promise<CommandResult> =>
    foremost(await Promise.all((result.ids ?? []).map((each) => handle.decided(each))))!;
  try {
    // Whoever only stops something was not asked yet.
    await context.project.requireTrust();
    return await driveOn(context, id, decided);
  } catch (thrown) {
    const answer = await decided().catch(() => undefined);
    // Somebody else goes on with it now, and decides this too.
    if (hasCode(thrown, 'RUN_DRIVEN') && answer !== undefined && answer.status !== 'queued')
      return sayDecided(context, id, answer);
    if (answer?.status === 'queued')
      output.note('The decision stays noted, and counts when the run goes on.');
    throw thrown;
  }
}

/** Who has decided something else may have been quicker: then the run goes on with that, and this one is told at the end. */
async function driveOn(
  context: Context,
  run: string,
  decided: () => Promise<CommandResult>,
): Promise<ExitCode> {
  const { driveRun } = await import('./drive/drive-run.ts');
  let answer: CommandResult | undefined;
  const begun = async (): Promise<void> => void (answer = await decided());
  const code = await driveRun(context, { run, begun });
  if (answer?.status === 'refused') throw refused(run, answer.text);
  return code;
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

/** Those that have failed together: one that stays would stop the others again. */
export async function sendAll(
  checkpoint: Pick<Checkpoint, 'tasks'>,
  tasks: readonly string[],
  send: (task: string, also: readonly string[]) => Promise<CommandResult>,
): Promise<CommandResult> {
  const hasFailed = (task: string): boolean => checkpoint.tasks[task]?.status === 'failed';
  const [first, ...also] = tasks.filter(hasFailed);
  const others = tasks.filter((task) => !hasFailed(task));
  const results = await Promise.all([
    ...(first === undefined ? [] : [send(first, also)]),
    ...others.map((task) => send(task, [])),
  ]);
  const ids = results.flatMap((result) => result.ids ?? []);
  return { ...foremost(results)!, ...(ids.length > 0 && { ids }) };
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
