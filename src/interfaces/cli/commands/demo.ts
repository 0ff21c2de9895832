import { defineCommand } from '../command-spec.ts';
import { exitCodes } from '../exit-codes.ts';

interface Options {
  readonly commands?: boolean;
  readonly keep?: boolean;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    command
      .option('--commands', 'show a workflow of commands instead of agents; needs no git')
      .option('--keep', 'keep the folder of the demo, to look around in it'),
  examples: [
    ['piton demo', 'takes about twenty seconds, needs no account and no network, and leaves nothing behind'],
    ['piton demo --commands', 'the same for a workflow of twelve commands'],
    ['piton demo --keep', 'then: piton history demo --root <the folder it names>'],
  ],
  async run({ output, program, env }, { options }) {
    const given = { output, program, env, keepsFolder: options.keep === true };
    const isProven = await (options.commands === true
      ? (await import('../demo/commands/show.ts')).showCommands(given)
      : (await import('../demo/features/show.ts')).showFeatures(given));
    output.print();
    // After `npm run demo` in a clone nothing is installed yet.
    if (env['npm_lifecycle_event'] === 'demo')
      output.next('npm install --global .', 'see docs/guides/install.md for other ways');
    else output.next('piton init', 'piton agents');
    return isProven ? exitCodes.done : exitCodes.failed;
  },
});
