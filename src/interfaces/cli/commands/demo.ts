import { defineCommand } from '../command-spec.ts';
import { showDemo } from '../demo/show.ts';
import { exitCodes } from '../exit-codes.ts';

interface Options {
  readonly keep?: boolean;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    command.option('--keep', 'leave the folder of the demo there, to look around in it'),
  examples: [
    ['piton demo', 'takes some seconds, and leaves nothing behind'],
    ['piton demo --keep', 'then: piton history demo --root <the folder it names>'],
  ],
  async run({ output }, { options }) {
    const isProven = await showDemo(output, options.keep === true);
    output.next('piton init');
    return isProven ? exitCodes.done : exitCodes.failed;
  },
});
