import { defineCommand } from '../command-spec.ts';
import { configureGate, decideGate, type GateOptions } from '../decide-gate.ts';

export const command = defineCommand<GateOptions>({
  configure: configureGate,
  examples: [
    ['piton reject 4f2 release -m "tests are red"', 'the task fails, and that is the reason'],
    ['piton reject 4f2 release --no-drive', 'decide now, resume later'],
  ],
  run: (context, given) => decideGate(context, 'reject', given),
});
