import { defineCommand } from '../command-spec.ts';
import { decide } from '../decide.ts';
import { findTask } from '../find-task.ts';
import { findRecord } from '../runs.ts';

interface Options {
  readonly drive: boolean;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    command
      .argument('<run>', 'beginning of its id')
      .argument('<task>', 'a task that is held or waits')
      .option('--no-drive', 'only leave the decision for whoever resumes the run, if nobody drives it')
      .option('--json', 'print JSON'),
  examples: [
    ['piton skip 4f2 lint', 'go on without it: what needs it is skipped too, unless its if says otherwise'],
    ['piton skip 4f2 lint --no-drive', 'decide now, resume later'],
  ],
  async run(context, { args, options }) {
    const piton = await context.openExisting();
    const { run } = await findRecord(piton, args[0]);
    const address = args[1]!;
    findTask(await (await piton.find(run)).checkpoint(), address);
    return decide(context, { run, send: (handle) => handle.skip(address), mayDrive: options.drive });
  },
});
