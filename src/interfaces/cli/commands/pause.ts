import { shellWord } from '../../../base/index.ts';
import { isFinal } from '../../../model/index.ts';
import { defineCommand } from '../command-spec.ts';
import { decide } from '../decide.ts';
import { exitCodes } from '../exit-codes.ts';

interface Options {
  readonly message?: string;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    command
      .argument('[run]', 'beginning of its id; default: the latest')
      .option('-m, --message <text>', 'why; it is kept with the run')
      .option('--json', 'print JSON'),
  examples: [
    ['piton pause', 'what is running goes on to its end, nothing new starts'],
    ['piton pause 4f2 -m "the network is down"', 'saying why'],
    ['piton resume 4f2', 'ends the pause'],
  ],
  async run(context, { args, options }) {
    const { output } = context;
    const piton = await context.openExisting();
    const { run, status } = await piton.findRecord(args[0]);
    const driver = await piton.driver(run);
    if (isFinal(status) || driver?.alive === true) {
      return decide(context, { run, send: (handle) => handle.pause(options.message), mayDrive: false });
    }
    // Whoever resumes it wants it to go on: a pause from before that would be of no use.
    const text = 'nobody drives it, so nothing starts anyway';
    output.json({ run, status: 'accepted', text });
    output.print(`Run ${run}: ${text}.`);
    output.next(`piton resume ${shellWord(run)}`);
    return exitCodes.done;
  },
});
