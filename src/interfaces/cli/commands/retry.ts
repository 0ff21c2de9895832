import { PitonError, shellWord } from '../../../base/index.ts';
import type { Checkpoint, CommandResult, Run, TaskView } from '../../../library/index.ts';
import { isFinal } from '../../../model/index.ts';
import { defineCommand } from '../command-spec.ts';
import { cannotWait, configureDecision, decide, isReopened, sendAll } from '../decide.ts';
import { assertChosenFor } from '../drive/choose-definition.ts';
import { choiceOf, configureDrift, flagOf, type DriftOptions } from '../drive/drift-options.ts';
import { configureRedo, confirmRedo, type RedoFlags } from '../drive/confirm-redo.ts';
import { exitCodes } from '../exit-codes.ts';
import { findTask } from '../find-task.ts';

interface Options extends RedoFlags, DriftOptions {
  readonly fresh?: boolean;
  readonly drive: boolean;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    configureDecision(
      configureDrift(
        configureRedo(
          command
            .argument('<run>', 'beginning of its id')
            .argument('[task]', 'default: every task that is held or has failed')
            .option(
              '--fresh',
              'in a new session and a new place; what depends on it runs again too, but what is merged already stays',
            ),
        ),
      ),
    ),
  examples: [
    ['piton retry 4f2 build', 'try a held, delayed or failed task again; also of a run that has ended'],
    ['piton retry 4f2', 'all that failed or is held'],
    ['piton retry 4f2 build --fresh', 'and forget what it did before'],
    ['piton retry 4f2 build --redo', 'run a succeeded task again, and what depends on it'],
  ],
  async run(context, { args, options }) {
    const piton = await context.openExisting();
    const { run, status } = await piton.findRecord(args[0]);
    const checkpoint = await (await piton.find(run)).checkpoint();
    const tasks = tasksMeant(checkpoint, args[1]);
    const { version: seen } = checkpoint;
    // Nobody answers for a run that has ended: what settled in it is opened anew.
    const isOpenedHere = isFinal(status) || options.fresh === true;
    const redo = isOpenedHere ? tasks : tasks.filter((task) => isReopened(checkpoint, task));
    if (isOpenedHere && !options.drive) throw cannotWait(run);
    const command = typedAs(run, args[1], options);
    if (!isOpenedHere && options.drive) await assertChosenFor(context, { run, tasks, command, options });
    const rerunSucceeded = await confirmRedo(context, {
      run,
      wish: { redo },
      typed: `${command}${flagOf(options)}`,
      flags: options,
    });
    if (rerunSucceeded === undefined) return exitCodes.refused;
    if (isOpenedHere) {
      const { driveRun } = await import('../drive/drive-run.ts');
      const inSession = options.fresh !== true;
      return driveRun(context, { run, command, redo, inSession, seen, rerunSucceeded, ...choiceOf(options) });
    }
    const send = (handle: Run): Promise<CommandResult> =>
      sendAll(checkpoint, tasks, (task, also) => handle.retry(task, also, { seen, rerunSucceeded }));
    return decide(context, { run, send, mayDrive: options.drive, drift: options });
  },
});

function typedAs(run: string, task: string | undefined, { fresh, drive }: Options): string {
  const words = ['retry', run, ...(task === undefined ? [] : [task])].map(shellWord);
  return ['piton', ...words, ...(fresh === true ? ['--fresh'] : []), ...(drive ? [] : ['--no-drive'])].join(
    ' ',
  );
}

function tasksMeant(checkpoint: Checkpoint, given: string | undefined): string[] {
  if (given !== undefined) {
    findTask(checkpoint, given);
    return [given];
  }
  const tasks = inTheWay(checkpoint);
  if (tasks.length > 0) return tasks;
  throw new PitonError('TASK_UNKNOWN', `No task of run ${checkpoint.run} is held or has failed.`, {
    run: checkpoint.run,
    remedy: `See how it stands: piton status ${shellWord(checkpoint.run)}. What has succeeded is done again only if you name it.`,
  });
}

/**
 * What consists of others is not done again as a whole, only what has failed in it; nor is what was allowed to fail, with all
 * that came of it, unless nothing else has failed.
 */
function inTheWay({ tasks }: Checkpoint): string[] {
  const troubled = Object.keys(tasks).filter((address) => isTroubled(tasks[address]!));
  // What waits for a budget or a session would refuse, and with it the rest; alone, it says why.
  const retried = troubled.filter((address) => tasks[address]!.actions?.includes('retry') ?? true);
  const meant = retried.length > 0 ? retried : troubled;
  const tolerated = meant.filter((address) => tasks[address]!.tolerated === true);
  const strict = meant.filter(
    (address) => !tolerated.some((each) => each === address || isBelow(address, each)),
  );
  const chosen = strict.length > 0 ? strict : meant;
  return chosen.filter((address) => !chosen.some((each) => isBelow(each, address)));
}

function isTroubled({ status, gate }: TaskView): boolean {
  return status === 'failed' || (status === 'held' && gate === undefined);
}

function isBelow(address: string, owner: string): boolean {
  return address.startsWith(`${owner}[`) || address.startsWith(`${owner}.`);
}
