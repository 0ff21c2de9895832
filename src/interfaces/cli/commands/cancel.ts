import { defineCommand } from '../command-spec.ts';
import { configureDecision, decide } from '../decide.ts';
import { exitCodes } from '../exit-codes.ts';

interface Options {
  readonly message?: string;
  readonly drive: boolean;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    configureDecision(
      command
        .argument('<run>', 'beginning of its id')
        .option('-m, --message <text>', 'why; it is kept with the run'),
    ),
  examples: [
    ['piton cancel 4f2', 'end what runs, start nothing more'],
    ['piton cancel 4f2 -m "wrong branch"', 'saying why'],
  ],
  async run(context, { args, options }) {
    const { run } = await (await context.openExisting()).findRecord(args[0]);
    const code = await decide(context, {
      run,
      send: (handle) => handle.cancel(options.message),
      mayDrive: options.drive,
      // Nothing more begins: it makes no difference.
      drift: { keepDefinition: true },
    });
    // A run that was driven only to be cancelled has ended as it was asked to.
    return code === exitCodes.failed ? exitCodes.done : code;
  },
});
