import { findCheckpoint } from '../checkpoints/find-checkpoint.ts';
import { defineCommand } from '../command-spec.ts';
import { exitCodes } from '../exit-codes.ts';
import { findTask } from '../find-task.ts';
import { printCheckpoint } from '../show/print-checkpoint.ts';
import { printTask } from '../show/print-task.ts';
import { detailOf } from '../show/task-detail.ts';

export const command = defineCommand({
  configure: (command) =>
    command
      .argument(
        '[run]',
        'beginning of its id; <run>@<checkpoint> for an earlier one (a number, name, task, before:<task> or time); default: the latest',
      )
      .argument('[task]', 'its address, such as build or build[ui]')
      .option('--json', 'print JSON'),
  examples: [
    ['piton show', 'inputs, state and tasks of the latest run'],
    ['piton show 4f2@7', 'the same, as it was at the seventh checkpoint'],
    ['piton show 4f2@before:build', 'the same, as it was before build began'],
    ['piton show 4f2 build', 'all about one task: attempts, output, error, where it wrote'],
  ],
  async run(context, { args }) {
    const { output } = context;
    const piton = await context.openExisting();
    const { run: id, seq, isLast } = await findCheckpoint(piton, args[0]);
    const run = await piton.find(id);
    const checkpoint = await run.checkpoint(isLast ? undefined : seq);
    const [, address] = args;
    if (address === undefined) {
      output.json({ checkpoint: `${checkpoint.run}@${checkpoint.seq}`, ...checkpoint });
      const current = isLast && !output.isJson ? await run.view() : undefined;
      if (!output.isJson) printCheckpoint(context, checkpoint, current);
      return exitCodes.done;
    }
    const task = findTask(checkpoint, address);
    const detail = {
      run: checkpoint.run,
      seq: checkpoint.seq,
      task: address,
      ...(await detailOf(piton, checkpoint, address)),
    };
    output.json({ ...task, ...detail });
    if (!output.isJson) printTask(context, { ...detail, view: task });
    return exitCodes.done;
  },
});
