import type { CommandWork, TaskSpec } from '../model/index.ts';
import type { Attempt } from './attempt.ts';
import { orderOf } from './command-order.ts';
import { outcomeOfExit } from './command-output.ts';
import { attemptRedactor } from './hiding.ts';
import type { ProcessPorts, ProcessWork } from './process-attempt.ts';

/** A command: its output counts when it has ended. */
export function commandWork(spec: TaskSpec, ports: ProcessPorts, { id: attempt }: Attempt): ProcessWork {
  const { spool, program, environment, maxOutputBytes } = ports;
  const work = spec.work as CommandWork;
  return {
    onInterrupt: spec.onInterrupt,
    order: (state, task, folder) =>
      orderOf(state, task, { work, folder, evaluator: program.evaluator, environment }),
    outcomeOf: async (exit) => {
      const redact = attemptRedactor(ports, attempt, work);
      return outcomeOfExit(
        spool,
        { attempt, spec, exit, redact, capture: work.capture },
        { program, maxOutputBytes },
      );
    },
  };
}
