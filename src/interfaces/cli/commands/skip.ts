import type { CommandResult, Run } from '../../../library/index.ts';
import { isFinal } from '../../../model/index.ts';
import { defineCommand } from '../command-spec.ts';
import { cannotWait, decide, sendAll } from '../decide.ts';
import { findTask } from '../find-task.ts';

interface Options {
  readonly drive: boolean;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    command
      .argument('<run>', 'beginning of its id')
      .argument('<tasks...>', 'tasks that are held, wait, or have failed')
      .option('--no-drive', 'only leave the decision for whoever resumes the run, if nobody drives it')
      .option('--json', 'print JSON'),
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
    // Nobody answers for a run that has ended: what failed in it is opened anew.
    if (isFinal(status) && tasks.some((task) => checkpoint.tasks[task]?.status === 'failed')) {
      if (!options.drive) throw cannotWait(run);
      const { driveRun } = await import('../drive/drive-run.ts');
      return driveRun(context, { run, skip: tasks, seen });
    }
    const send = (handle: Run): Promise<CommandResult> =>
      sendAll(checkpoint, tasks, (task, also) => handle.skip(task, also, { seen }));
    return decide(context, { run, send, mayDrive: options.drive });
  },
});
