import { defineCommand } from '../command-spec.ts';
import { configureGate, decideGate, type GateOptions } from '../decide-gate.ts';
import { raiseBudget } from '../raise-budget.ts';

interface Options extends GateOptions {
  readonly budget?: string;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    configureGate(command).option(
      '--budget <amount>',
      'raise the budget that the task waits for: +5 (dollars), +200k-tokens',
    ),
  examples: [
    ['piton approve 4f2 release', 'let it begin, and go on with the run'],
    ['piton approve 4f2 release -m "checked by Ada"', 'the same, saying why'],
    ['piton approve 4f2 fix', 'let its agent make the call that it asks for, and go on in its session'],
    ['piton approve 4f2 fix --budget +5', 'let its agents use 5 dollars more'],
    ['piton approve 4f2 fix --budget +200k-tokens', 'let them use 200,000 tokens more'],
    ['piton approve 4f2 release --accept-drift', 'go on with the file as it is now'],
    ['piton approve 4f2 release --no-drive', 'decide now, resume later'],
  ],
  run(context, given) {
    const { budget, drive, message, ...drift } = given.options;
    return budget === undefined
      ? decideGate(context, 'approve', given)
      : raiseBudget(context, { args: given.args, amount: budget, comment: message, mayDrive: drive, drift });
  },
});
