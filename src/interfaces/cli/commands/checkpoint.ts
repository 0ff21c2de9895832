import { shellWord } from '../../../base/index.ts';
import { findCheckpoint } from '../checkpoints/find-checkpoint.ts';
import { defineCommand } from '../command-spec.ts';
import { refused } from '../decide.ts';
import { exitCodes } from '../exit-codes.ts';

export const command = defineCommand({
  configure: (command) =>
    command
      .argument('<run>', 'beginning of its id; <run>@<checkpoint>: a number, a task, before:<task> or a time')
      .argument('<name>', 'letters, digits and . _ - beginning with a letter')
      .option('--json', 'print JSON'),
  examples: [
    ['piton checkpoint 4f2 reviewed', 'call the present state reviewed'],
    ['piton checkpoint 4f2@before:build planned', 'name an earlier one'],
    ['piton fork 4f2@planned', 'go on from there in another run'],
  ],
  async run(context, { args }) {
    const { output } = context;
    const piton = await context.openExisting();
    const { run, seq } = await findCheckpoint(piton, args[0]!);
    const name = args[1]!;
    const { status, text } = await (await piton.find(run)).set({ checkpoint: { name, seq } });
    if (status === 'refused') throw refused(run, text);
    output.json({ run, seq, name });
    output.print(`${run}@${seq} is called ${name}.`);
    output.next(`piton show ${shellWord(`${run}@${name}`)}`, `piton fork ${shellWord(`${run}@${name}`)}`);
    return exitCodes.done;
  },
});
