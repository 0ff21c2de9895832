import { defineCommand } from '../command-spec.ts';
import { configureGate, decideGate, type GateOptions } from '../decide-gate.ts';

export const command = defineCommand<GateOptions>({
  configure: configureGate,
  examples: [
    ['piton approve 4f2 release', 'let it begin, and go on with the run'],
    ['piton approve 4f2 release -m "checked by Ada"', 'the same, saying why'],
    ['piton approve 4f2 fix', 'let its agent make the call that it asks for, and go on in its session'],
    ['piton approve 4f2 release --no-drive', 'decide now, resume later'],
  ],
  run: (context, given) => decideGate(context, 'approve', given),
});
