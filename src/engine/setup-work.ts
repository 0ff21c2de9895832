import type { TaskSpec } from '../model/index.ts';
import { orderOf } from './command-order.ts';
import { failureOfExit, lastWords } from './command-output.ts';
import type { Attempt } from './attempt.ts';
import { attemptRedactor } from './hiding.ts';
import { withMissingVariables } from './missing-variables.ts';
import type { ProcessWork } from './process-attempt.ts';
import type { ProcessPorts } from './process-ports.ts';

/** The command that makes a workspace usable. */
export function setupWork(spec: TaskSpec, ports: ProcessPorts, attempt: Attempt): ProcessWork {
  const work = spec.setup!.work!;
  return {
    onInterrupt: 'restart',
    order: (state, task, folder) => orderOf(state, task, { work, folder, ports }),
    async outcomeOf(exit) {
      if (exit.code === 0 && !exit.timedOut) return { type: 'succeeded' };
      const redact = await attemptRedactor(ports, attempt.id, work);
      const told = failureOfExit(exit, await lastWords(ports.spool, attempt.id, redact));
      const failure = await withMissingVariables(told, ports, attempt.id);
      const message = `its setup failed: ${failure.message}`;
      return { type: 'failed', failure: { ...failure, code: 'SETUP_FAILED', message } };
    },
  };
}
