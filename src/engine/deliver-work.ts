import { isPlainObject, type Json } from '../base/index.ts';
import type { RunState, TaskState } from '../kernel/index.ts';
import type { Outcome, TaskSpec } from '../model/index.ts';
import type { SpoolOrder } from '../spool/index.ts';
import type { Delivery } from '../workspaces/index.ts';
import type { Attempt } from './attempt.ts';
import { outcomeOfExit } from './command-output.ts';
import { attemptRedactor } from './hiding.ts';
import type { ProcessWork } from './process-attempt.ts';
import type { ProcessPorts } from './process-ports.ts';
import { pullRequestOrder } from './pull-request-order.ts';
import { spoolOrder } from './spool-order.ts';
import { takenFrom } from './task-environment.ts';

export interface DeliverPorts extends ProcessPorts {
  readonly delivery: Delivery;
}

const noSecrets = { secrets: [] };

/** Hands over what the run has made, in a process of its own. It looks first whether that was done: it may be done again. */
export function deliverWork(spec: TaskSpec, ports: DeliverPorts, { id: attempt }: Attempt): ProcessWork {
  const { spool, program, maxOutputBytes } = ports;
  return {
    onInterrupt: 'restart',
    order: (state, task, folder) => orderOf(state, task, { ports, folder }),
    async outcomeOf(exit) {
      const redact = await attemptRedactor(ports, attempt, noSecrets);
      const outcome = await outcomeOfExit(
        spool,
        { attempt, spec, exit, redact, capture: 'none' },
        { program, maxOutputBytes },
      );
      return withDelivered(outcome);
    },
  };
}

async function orderOf(
  state: RunState,
  task: TaskState,
  { ports, folder }: { readonly ports: DeliverPorts; readonly folder: string },
): Promise<SpoolOrder> {
  const { environment, program, secrets } = ports;
  const { evaluator } = program;
  const order = pullRequestOrder(state, task, { environment, secrets, evaluator });
  const { argv, input } = await ports.delivery.process(order);
  return spoolOrder(state, task, {
    argv,
    input,
    directory: folder,
    // Programs that the person has chosen push with the person's own login, whatever that needs.
    env: takenFrom({ environment, inherited: true, secrets: [] }),
    secrets: [],
  });
}

/** That it was done is a fact of the run, besides what the task gives. */
function withDelivered(outcome: Outcome): Outcome {
  if (outcome.type !== 'succeeded' || !isPlainObject(outcome.output)) return outcome;
  const { url, base, commit } = outcome.output as Readonly<Record<string, Json>>;
  const delivered = {
    how: 'pull-request',
    into: String(base),
    commit: String(commit),
    url: String(url),
  } as const;
  return { ...outcome, delivered };
}
