import { parseDuration, PitonError, shellWord, plural } from '../../../base/index.ts';
import type { WorkspaceAction } from '../../../library/index.ts';
import type { Invocation } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { cleanLine } from '../output/index.ts';
import { openAnyway, runGiven, type WorkspaceOptions } from './options.ts';

type Given = Invocation<WorkspaceOptions>;

export async function cleanPlaces(context: Context, given: Given): Promise<ExitCode> {
  const { options } = given;
  const { config } = context;
  const piton = await openAnyway(context);
  const { keepMs, quotaBytes } = config.workspaces;
  const olderThanMs = options.olderThan === undefined ? keepMs : timeIn(options.olderThan);
  const actions = await piton.cleanWorkspaces({
    ...(await runGiven(piton, given)),
    ...flagsOf(options),
    force: options.force === true,
    folder: config.root,
    ...(olderThanMs !== undefined && { olderThanMs }),
    ...(quotaBytes !== undefined && { quotaBytes }),
  });
  return printActions(context, actions, {
    isDry: options.dryRun === true,
    command: commandLine(given),
  });
}

export async function reconcilePlaces(context: Context, given: Given): Promise<ExitCode> {
  const { options } = given;
  const piton = await openAnyway(context);
  const actions = await piton.reconcile({
    ...(await runGiven(piton, given)),
    ...flagsOf(options),
    folder: context.config.root,
  });
  return printActions(context, actions, {
    isDry: options.dryRun === true,
    command: commandLine(given),
  });
}

/** What does the very things that were shown. */
function commandLine({ args: [what, run], options: { olderThan, strays, force } }: Given): string {
  return [
    `piton workspace ${what}`,
    run === undefined ? '' : ` ${shellWord(run)}`,
    olderThan === undefined ? '' : ` --older-than ${shellWord(olderThan)}`,
    strays === true ? ' --strays' : '',
    force === true ? ' --force' : '',
  ].join('');
}

function flagsOf({ dryRun, strays }: WorkspaceOptions): {
  readonly dryRun: boolean;
  readonly strays: boolean;
} {
  return { dryRun: dryRun === true, strays: strays === true };
}

function timeIn(given: string): number {
  const ms = parseDuration(given);
  if (ms !== undefined) return ms;
  throw new PitonError('USAGE_INVALID', `--older-than is ${given}, which is no time span.`, {
    remedy: 'Write it like 7d, 12h or 30m.',
  });
}

interface Manner {
  readonly isDry: boolean;
  readonly command: string;
}

function printActions(
  { output }: Context,
  actions: readonly WorkspaceAction[],
  { isDry, command }: Manner,
): ExitCode {
  // What could not be proved to be kept elsewhere has stayed.
  const changes = actions.filter(({ what, done }) => what !== 'nothing' && done?.startsWith('kept') !== true);
  const failed = actions.filter((action) => action.failed !== undefined);
  output.json({ dryRun: isDry, actions });
  for (const action of actions) output.print(lineOf(action, isDry));
  if (changes.length === 0)
    output.print(isDry ? 'Nothing would be changed.' : 'There was nothing to change.');
  else if (!isDry)
    output.print(`${plural(changes.length - failed.length, 'thing')} changed${failedText(failed.length)}.`);
  const isWanted = isDry && changes.length > 0;
  output.next(isWanted ? command : 'piton workspace list');
  return failed.length === 0 ? exitCodes.done : exitCodes.failed;
}

function failedText(count: number): string {
  return count === 0 ? '' : `, ${plural(count, 'thing')} could not be`;
}

const wouldDo = {
  clean: 'clean',
  hold: 'hold',
  'drop archive': 'remove archive',
  'drop branch': 'delete branch',
  'drop ref': 'remove ref',
  nothing: 'leave',
} as const;

function lineOf({ run, task, what, name, reason, done, failed }: WorkspaceAction, isDry: boolean): string {
  const about = [run, task].filter((text) => text !== undefined).join(' ');
  const deed = `${isDry && what !== 'nothing' ? 'would ' : ''}${wouldDo[what]}`;
  const end = failed !== undefined ? ` → not done: ${failed}` : done !== undefined ? ` → ${done}` : '';
  const subject = [about, name].filter((text) => text !== undefined && text !== '').join(' ');
  return cleanLine(`${deed} ${subject}: ${reason}${end}`);
}
