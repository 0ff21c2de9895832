import type { TaskSpec } from '../model/index.ts';
import type { Attempt } from './attempt.ts';
import { outcomeOfExit } from './command-output.ts';
import { orderOf } from './command-order.ts';
import type { ProcessPorts, ProcessWork } from './process-attempt.ts';

/** A command: its output counts when it has ended. */
export function commandWork(spec: TaskSpec, ports: ProcessPorts, { id: attempt }: Attempt): ProcessWork {
  const { spool, program, environment, maxOutputBytes } = ports;
  return {
    order: (state, task) => orderOf(state, task, { evaluator: program.evaluator, environment }),
    outcomeOf: (exit) =>
      outcomeOfExit(spool, { attempt, spec, exit, environment }, { program, maxOutputBytes }),
  };
}
