import { shellWord, someNames } from '../base/index.ts';
import { agentNamed } from '../agents/index.ts';
import type { TaskState } from '../kernel/index.ts';
import type { Outcome } from '../model/index.ts';
import type { Integration } from '../workspaces/index.ts';
import { redactor } from './redact.ts';
import { loginNames, type Environment } from './task-environment.ts';

export interface SecretPorts {
  readonly environment: Environment;
  /** Names of all secrets of the workflow and of the project. */
  readonly secrets: readonly string[];
}

/** What must not come into git with the work of a task, by the names of the variables, as far as they are set here. */
export function secretsFor(
  { spec }: TaskState,
  { environment, secrets }: SecretPorts,
): Record<string, string> {
  const agents = spec.work.type === 'agent' ? spec.work.agents : [];
  const logins = agents.flatMap((name) => loginNames(agentNamed(name).variables, environment));
  return Object.fromEntries(
    [...secrets, ...logins].flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

/** Named with file and variable, never with the value: not even where that is a part of the file's name. */
export function holdForSecrets(
  { found }: Extract<Integration, { type: 'secrets' }>,
  task: TaskState,
  ports: SecretPorts,
): Outcome {
  const redact = redactor(Object.values(secretsFor(task, ports)));
  const path = task.workspace!.path;
  const places = found.map(({ path: file, commit, secret }) =>
    redact(file === undefined ? `${secret} in the message of commit ${commit}` : `${secret} in ${file}`),
  );
  const message = `what it made holds secrets, and was not committed: ${someNames(places)}. Take them out in ${path}, then retry. If the task has committed them itself, undo its commits first: git -C ${shellWord(path)} reset --soft ${task.workspace!.base}`;
  return { type: 'failed', failure: { code: 'SECRET_IN_RESULT', message, retryable: false } };
}
