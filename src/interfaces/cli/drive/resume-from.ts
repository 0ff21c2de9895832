import { PitonError, shellWord } from '../../../base/index.ts';
import type { Rerun } from '../../../library/index.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { canAsk, confirm } from '../prompt.ts';
import { printReruns } from './confirm-redo.ts';
import { assertChoice, choiceOf, type DriftOptions } from './drift-options.ts';
import { goesOnWith, sayVersion } from './choose-definition.ts';
import { driveToExit, resumed } from './drive-run.ts';

interface FromOptions extends DriftOptions {
  readonly from: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly redo?: readonly string[];
  readonly detach?: boolean;
  readonly takeover?: boolean;
}

/** Goes back to a checkpoint: in a fork that takes the place of the run, after a person has seen what runs again. */
export async function resumeFrom(context: Context, run: string, options: FromOptions): Promise<ExitCode> {
  assertAlone(options);
  const piton = await context.openExisting();
  const seq = await (await piton.find(run)).beginningAt(options.from);
  const found = await context.project.definitionOf(run, piton);
  const preview = await piton.previewFork(found.definition, `${run}@${seq}`);
  context.output.print(`Back to ${run}@${seq}. Run ${run} stays as it was; a fork takes its place.`);
  if (preview.tasks.length > 0) printReruns(context, preview);
  context.output.json({ run, seq, reruns: preview.tasks }, options.dryRun === true);
  if (options.dryRun === true) {
    context.output.next(typed(run, options));
    return exitCodes.done;
  }
  const succeeded = preview.tasks.filter(({ hasSucceeded }) => hasSucceeded);
  const command = typed(run, options);
  if (!(await isAgreed(context, succeeded, { ...options, command }))) return exitCodes.refused;
  if (found.note !== undefined) context.output.note(found.note);
  assertChoice(run, options, found);
  const goesOn = goesOnWith(options);
  await sayVersion(context, { run, found, goesOn });
  const choice = goesOn === 'migrating' ? { keepDefinition: 'unless-migrated' as const } : choiceOf(options);
  return driveToExit(context, async () => {
    const going = (): ReturnType<typeof piton.resume> =>
      piton.resume(found.definition, run, { from: seq, ...choice });
    const fork = await resumed(going, run, typed(run, options));
    context.output.print(`Run ${fork.id} goes on from ${run}@${seq}.`);
    return [fork];
  });
}

interface Agreeing {
  readonly yes?: boolean;
  /** As it was typed. */
  readonly command: string;
}

/** Whether a person agrees that these run again, if there are any. Throws `USAGE_INVALID` where nobody can be asked. */
export async function isAgreed(
  context: Context,
  tasks: readonly Rerun[],
  { yes, command }: Agreeing,
): Promise<boolean> {
  if (yes === true || tasks.length === 0) return true;
  if (context.output.isJson || !canAsk(context)) {
    const message = 'Tasks that have run would run again, and there is no terminal to ask at.';
    throw new PitonError('USAGE_INVALID', message, {
      tasks,
      remedy: `Agree to it beforehand: ${command} --yes`,
    });
  }
  if (await confirm(context, 'Go on?')) return true;
  context.output.print('Nothing was changed.');
  return false;
}

function typed(run: string, { from }: FromOptions): string {
  return `piton resume ${shellWord(run)} --from ${shellWord(from)}`;
}

function assertAlone({ redo, detach, takeover }: FromOptions): void {
  const others = { '--redo': redo, '--detach': detach, '--takeover': takeover };
  const given = Object.entries(others).find(([, value]) => value !== undefined)?.[0];
  if (given === undefined) return;
  throw new PitonError('USAGE_INVALID', `--from and ${given} do not go together.`, {
    remedy: 'Leave one of them out.',
  });
}
