import type { CommandWork, TaskSpec } from '../model/index.ts';
import type { Attempt } from './attempt.ts';
import { orderOf } from './command-order.ts';
import { outcomeOfExit } from './command-output.ts';
import { attemptRedactor } from './hiding.ts';
import { withMissingVariables } from './missing-variables.ts';
import type { ProcessWork } from './process-attempt.ts';
import type { ProcessPorts } from './process-ports.ts';

/** A command: its output counts when it has ended. */
export function commandWork(spec: TaskSpec, ports: ProcessPorts, { id: attempt }: Attempt): ProcessWork {
  const { spool, program, maxOutputBytes } = ports;
  const work = spec.work as CommandWork;
  return {
    onInterrupt: spec.onInterrupt,
    order: (state, task, folder) => orderOf(state, task, { work, folder, ports }),
    outcomeOf: async (exit) => {
      const redact = await attemptRedactor(ports, attempt, work);
      const outcome = await outcomeOfExit(
        spool,
        { attempt, spec, exit, redact, capture: work.capture },
        { program, maxOutputBytes },
      );
      if (outcome.type !== 'failed') return outcome;
      return { ...outcome, failure: await withMissingVariables(outcome.failure, ports, attempt) };
    },
  };
}
