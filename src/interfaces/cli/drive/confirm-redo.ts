import type { Command } from 'commander';
import { hasCode, PitonError, plural } from '../../../base/index.ts';
import type { Piton, RedoOptions, Rerun, Reruns } from '../../../library/index.ts';
import type { Context } from '../context.ts';
import { cleanLine, statusCell } from '../output/index.ts';
import { canAsk, confirm } from '../prompt.ts';

export interface RedoFlags {
  readonly redo?: boolean;
  readonly yes?: boolean;
}

/** For commands that may run succeeded tasks again. */
export function configureRedo(command: Command): Command {
  return command
    .option('--redo', 'also run succeeded tasks again, after a list of them and a question')
    .option('--yes', 'with --redo: do not ask');
}

interface RedoRequest {
  readonly run: string;
  readonly wish: Pick<RedoOptions, 'redo' | 'skip' | 'done'>;
  readonly flags: RedoFlags;
  /** What was typed, without `--redo` and `--yes`. */
  readonly typed: string;
  /** What has to be added to it; default: `--redo`. */
  readonly flag?: string;
}

type Shown = Pick<Reruns, 'tasks' | 'delivered'> & { readonly isRefused?: true };

/**
 * The succeeded tasks that may run again, since a person has seen the list of all that will and agreed to it; undefined if they
 * said no. Throws `REDO_REFUSED` without `--redo`, `USAGE_INVALID` where nobody can be asked.
 */
export async function confirmRedo(
  context: Context,
  request: RedoRequest,
): Promise<readonly string[] | undefined> {
  const reruns = await previewOf(await context.openExisting(), request);
  const succeeded = reruns.tasks.filter(({ hasSucceeded }) => hasSucceeded).map(({ task }) => task);
  if (succeeded.length === 0) return [];
  if (request.flags.redo !== true) throw notAllowed(request, reruns, succeeded);
  if (reruns.isRefused === true) return succeeded;
  printReruns(context, reruns);
  if (request.flags.yes === true) return succeeded;
  if (context.output.isJson || !canAsk(context)) throw nobodyToAsk(request, reruns);
  if (await confirm(context, 'Run them again?')) return succeeded;
  context.output.print('Nothing was changed.');
  return undefined;
}

/**
 * What cannot be done at all is refused by whoever decides it, who says why: then nothing is to be agreed to but what was named.
 */
async function previewOf(piton: Piton, { run, wish }: RedoRequest): Promise<Shown> {
  try {
    return await piton.previewRedo(run, wish);
  } catch (thrown) {
    if (!hasCode(thrown, 'REDO_REFUSED')) throw thrown;
    return { tasks: await namedIn(piton, run, wish.redo ?? []), isRefused: true };
  }
}

async function namedIn(piton: Piton, run: string, named: readonly string[]): Promise<Rerun[]> {
  const { tasks } = await (await piton.find(run)).checkpoint();
  return named.flatMap((task) => {
    const status = tasks[task]?.status;
    return status === 'succeeded' ? [{ task, status, hasSucceeded: true, hasRun: true }] : [];
  });
}

function notAllowed(
  { run, typed, flag = '--redo' }: RedoRequest,
  { tasks }: Shown,
  succeeded: readonly string[],
): PitonError {
  const message = `What has succeeded runs again only if you ask for it, and that would be: ${succeeded.join(', ')}.`;
  return new PitonError('REDO_REFUSED', message, {
    run,
    tasks,
    remedy: `See all that would run again, and agree to it: ${typed} ${flag}`,
  });
}

function nobodyToAsk({ run, typed, flag = '--redo' }: RedoRequest, { tasks }: Shown): PitonError {
  return new PitonError(
    'USAGE_INVALID',
    'Succeeded tasks would run again, and there is no terminal to ask at.',
    {
      run,
      tasks,
      remedy: `Agree to it beforehand: ${typed} ${flag} --yes`,
    },
  );
}

/** All that runs again. What is to be known of a task has lines of its own: nothing of it is cut off. */
export function printReruns({ output }: Context, { tasks, delivered }: Shown): void {
  const { style } = output;
  const again = tasks.filter(({ hasRun, hasSucceeded }) => hasRun || hasSucceeded);
  output.print('These tasks run again:');
  for (const rerun of again) {
    const { text, paint = String } = statusCell(rerun.status, style);
    const below = rerun.below === undefined ? '' : ` (${plural(rerun.below, 'task')})`;
    output.print(`  ${cleanLine(rerun.task)}${below}  ${paint(text)}`);
    for (const warning of warningsOf(rerun)) output.print(`    ${style.yellow(`! ${warning}`)}`);
  }
  const others = tasks.length - again.length;
  if (others > 0) output.print(`  and ${plural(others, 'task')} that did not run before`);
  if (delivered !== undefined)
    output.print(
      style.yellow(`! what the run made is in ${cleanLine(delivered.into)} already, and stays there`),
    );
}

function warningsOf({ isIrreversible, asksApproval, isMerged }: Rerun): string[] {
  return [
    ...(isIrreversible === true ? ['its effects may be impossible to undo (on-interrupt: ask)'] : []),
    ...(asksApproval === true ? ['asks for approval again'] : []),
    ...(isMerged === true ? ['what it has merged stays'] : []),
  ];
}
