import { PitonError, type Json } from '../base/index.ts';
import { decideSet } from '../kernel/index.ts';
import {
  changeAbout,
  whyNotAbout,
  type AboutChange,
  type Command,
  type InboxCommand,
  type RunAbout,
  type Workflow,
} from '../model/index.ts';
import type { EnginePorts } from './options.ts';
import { redactJson, redactor } from './redact.ts';
import type { Answers } from './run-writer.ts';
import { secretNames } from './secrets.ts';
import { amendRun } from './tend-run.ts';

type SetCommand = Extract<Command, { type: 'set' }>;

/**
 * Decides all that is to be set of a run that nobody drives, in the order in which it was asked for, as one commit. What a process
 * that was killed had asked for is among it. Throws `RUN_DRIVEN`, `RUN_NOT_FOUND`, `RUN_DAMAGED`, `RUN_BEHIND`.
 */
export async function decideSettings(ports: EnginePorts, run: string): Promise<void> {
  await amendRun(ports, run, async (state, add) => {
    const asked = (await ports.store.pendingCommands(run)).filter(isSet);
    return asked.map((each): Answers[number] => {
      const { events, answer } = decideSet(state, each);
      add(events);
      return { id: each.id, answer };
    });
  });
}

function isSet(asked: InboxCommand): asked is InboxCommand & { readonly command: SetCommand } {
  return asked.command.type === 'set';
}

/** What is said of a run that begins. Throws `USAGE_INVALID`. */
export function readAbout(
  ports: EnginePorts,
  workflow: Workflow,
  given: AboutChange | undefined,
): RunAbout | undefined {
  if (given === undefined) return undefined;
  const why = whyNotAbout({ ...given });
  if (why !== undefined) {
    throw new PitonError('USAGE_INVALID', `That cannot be said of a run: ${why}.`, {
      remedy: 'Write it otherwise; what is big belongs into an output or a file.',
    });
  }
  return changeAbout(undefined, withoutSecrets(ports, workflow, given));
}

/** It is shown wherever the run is: values of secrets are left out, as everywhere. */
export function withoutSecrets(ports: EnginePorts, workflow: Workflow, about: AboutChange): AboutChange {
  const { environment, secrets } = ports;
  const names = new Set([...secrets, ...secretNames(workflow)]);
  const redact = redactor([...names].flatMap((name) => environment[name] ?? []));
  return redactJson(about as Json, redact) as AboutChange;
}
