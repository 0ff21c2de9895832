import { shellWord } from '../../../base/index.ts';
import type { CommandResult, Run } from '../../../library/index.ts';
import { isFinal } from '../../../model/index.ts';
import { defineCommand } from '../command-spec.ts';
import { cannotWait, configureDecision, decide, sendAll } from '../decide.ts';
import { choiceOf, configureDrift, flagOf, type DriftOptions } from '../drive/drift-options.ts';
import { configureRedo, confirmRedo, type RedoFlags } from '../drive/confirm-redo.ts';
import { exitCodes } from '../exit-codes.ts';
import { findTask } from '../find-task.ts';

interface Options extends RedoFlags, DriftOptions {
  readonly drive: boolean;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    configureDecision(
      configureDrift(
        configureRedo(
          command
            .argument('<run>', 'beginning of its id')
            .argument('<tasks...>', 'tasks that are held, wait, or have failed'),
        ),
      ),
    ),
  examples: [
    ['piton skip 4f2 lint', 'go on without it: what needs it is skipped too, unless its if says otherwise'],
    ["piton skip 4f2 'migrate[a]' 'migrate[b]'", 'give up two of many that have failed, and do the rest'],
    ['piton skip 4f2 lint --no-drive', 'decide now, resume later'],
  ],
  async run(context, { args, options }) {
    const piton = await context.openExisting();
    const { run, status } = await piton.findRecord(args[0]);
    const tasks = [...new Set(args.slice(1))];
    const checkpoint = await (await piton.find(run)).checkpoint();
    for (const task of tasks) findTask(checkpoint, task);
    const { version: seen } = checkpoint;
    const failed = tasks.filter((task) => checkpoint.tasks[task]?.status === 'failed');
    // Nobody answers for a run that has ended: what failed in it is opened anew.
    const isOpenedHere = isFinal(status) && failed.length > 0;
    if (isOpenedHere && !options.drive) throw cannotWait(run);
    const command = ['piton', 'skip', ...[run, ...tasks].map(shellWord)].join(' ');
    const rerunSucceeded = await confirmRedo(context, {
      run,
      wish: { skip: isOpenedHere ? tasks : failed },
      typed: `${command}${options.drive ? '' : ' --no-drive'}${flagOf(options)}`,
      flags: options,
    });
    if (rerunSucceeded === undefined) return exitCodes.refused;
    if (isOpenedHere) {
      const { driveRun } = await import('../drive/drive-run.ts');
      return driveRun(context, { run, command, skip: tasks, seen, rerunSucceeded, ...choiceOf(options) });
    }
    const send = (handle: Run): Promise<CommandResult> =>
      sendAll(checkpoint, tasks, (task, also) => handle.skip(task, also, { seen, rerunSucceeded }));
    return decide(context, { run, send, mayDrive: options.drive, drift: options });
  },
});
