import { isPlainObject, PitonError, type Json } from '../base/index.ts';
import { variablesOf, type RunState, type TaskState } from '../kernel/index.ts';
import type { DeliverWork, Dynamic, Outcome, TaskSpec } from '../model/index.ts';
import type { SpoolOrder } from '../spool/index.ts';
import type { Delivery, PullRequestOrder } from '../workspaces/index.ts';
import type { Attempt } from './attempt.ts';
import { textOf } from './command-order.ts';
import { outcomeOfExit } from './command-output.ts';
import { attemptRedactor } from './hiding.ts';
import type { ProcessWork } from './process-attempt.ts';
import type { ProcessPorts } from './process-ports.ts';
import { accountOf } from './run-account.ts';
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
  const { environment, program } = ports;
  const { evaluator } = program;
  const variables = variablesOf(state, task);
  const render = (value: Dynamic): string => textOf(evaluator.render(value, variables));
  const { argv, input } = await ports.delivery.process(pullRequest(state, task, render));
  return spoolOrder(state, task, {
    argv,
    input,
    directory: folder,
    // Programs that the person has chosen push with the person's own login, whatever that needs.
    env: takenFrom({ environment, inherited: true, secrets: [] }),
    secrets: [],
  });
}

function pullRequest(
  state: RunState,
  { spec }: TaskState,
  render: (value: Dynamic) => string,
): PullRequestOrder {
  const repository = state.origin?.repository;
  if (repository === undefined)
    throw new PitonError(
      'GIT_MISSING',
      'There is no git repository of which something could be handed over.',
      { remedy: 'Start the run in a folder of one.' },
    );
  const { base, branch, draft: isDraft, title, body } = (spec.work as DeliverWork).pr;
  return {
    repository,
    account: accountOf(state),
    isDraft,
    ...(base !== undefined && { base }),
    ...(branch !== undefined && { branch: render(branch) }),
    ...(title !== undefined && { title: render(title) }),
    ...(body !== undefined && { body: render(body) }),
  };
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
