import { PitonError } from '../../../base/index.ts';
import { defineCommand } from '../command-spec.ts';
import { completionScripts } from '../completion/scripts.ts';
import { commandsOf } from '../completion/tree.ts';
import { exitCodes } from '../exit-codes.ts';

export const command = defineCommand({
  configure: (command) => command.argument('<shell>', 'bash, zsh or fish'),
  examples: [
    ['source <(piton completion bash)', 'in ~/.bashrc'],
    ['piton completion zsh > "${fpath[1]}/_piton"', 'once'],
    ['piton completion fish > ~/.config/fish/completions/piton.fish', 'once'],
  ],
  async run({ output, commands }, { args }) {
    const shell = args[0]!;
    const script = Object.hasOwn(completionScripts, shell) ? completionScripts[shell] : undefined;
    if (script === undefined) {
      throw new PitonError('USAGE_INVALID', `There is no completion for ${shell}.`, {
        remedy: `There is for ${Object.keys(completionScripts).join(', ')}.`,
      });
    }
    output.print(script(commandsOf(await commands())).trimEnd());
    return exitCodes.done;
  },
});
