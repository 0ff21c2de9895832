import { resolve } from 'node:path';
import { PitonError, type Json } from '../base/index.ts';
import { variablesOf, type RunState, type TaskState } from '../kernel/index.ts';
import type { CommandWork, Evaluator, Variables } from '../model/index.ts';
import type { SpoolOrder } from '../spool/index.ts';
import type { ProcessPorts } from './process-ports.ts';
import { spoolOrder } from './spool-order.ts';
import { inheritedBy, takenFrom, type Environment, type Giving } from './task-environment.ts';

export interface Ordering {
  readonly work: CommandWork;
  /** Where the task works. */
  readonly folder: string;
  readonly ports: Pick<ProcessPorts, 'program' | 'environment' | 'inheritEnv' | 'secrets'>;
}

/** All that is needed to do a command's attempt, as data. Throws `EXPRESSION_FAILED`, `SECRET_MISSING`. */
export function orderOf(state: RunState, task: TaskState, { work, folder, ports }: Ordering): SpoolOrder {
  const { evaluator } = ports.program;
  const variables = variablesOf(state, task);
  const inherited = inheritedBy(state, work, ports.inheritEnv);
  const text = (value: Json): string => textOf(evaluator.render(value, variables));
  const directory = resolve(folder, work.workingDirectory === undefined ? '.' : text(work.workingDirectory));
  return spoolOrder(state, task, {
    argv: typeof work.run === 'string' ? shellArguments(work) : work.run.map(text),
    directory,
    env: environmentFor(work, { ...ports, inherited, evaluator, variables }),
    secrets: work.secrets,
    inherited,
  });
}

/** A line that fails ends the text, and where the shell can tell, so does a part of a pipe. */
function shellArguments({ shell, run }: CommandWork): string[] {
  const options = /(^|\/)(bash|zsh)$/.test(shell) ? ['-eo', 'pipefail', '-c'] : ['-ec'];
  return [shell, ...options, run as string];
}

type Surroundings = Pick<CommandWork, 'env' | 'secrets'>;

/** What a process is given: a part of Piton's own environment, what the task adds, and its secrets. Throws `SECRET_MISSING`. */
export function environmentFor(
  work: Surroundings,
  given: Giving & { readonly evaluator: Evaluator; readonly variables: Variables },
): Record<string, string> {
  return { ...takenFrom(given), ...addedBy(work, given), ...secretsOf(work, given.environment) };
}

function addedBy(
  { env }: Surroundings,
  { evaluator, variables }: { evaluator: Evaluator; variables: Variables },
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, textOf(evaluator.render(value, variables))]),
  );
}

/** What must not be written down: the task's own secrets, and those of the project as far as they are there. */
export function hiddenValues(
  work: Pick<CommandWork, 'secrets'>,
  { environment, secrets }: { readonly environment: Environment; readonly secrets: readonly string[] },
): readonly string[] {
  return [
    ...Object.values(secretsOf(work, environment)),
    ...secrets.flatMap((name) => environment[name] ?? []),
  ];
}

/** Throws `SECRET_MISSING`. */
export function secretsOf(
  { secrets }: Pick<CommandWork, 'secrets'>,
  environment: Environment,
): Record<string, string> {
  return Object.fromEntries(secrets.map((name) => [name, secretNamed(name, environment)]));
}

function secretNamed(name: string, environment: Environment): string {
  const value = environment[name];
  if (value !== undefined) return value;
  throw new PitonError('SECRET_MISSING', `The secret ${name} is not in the environment.`, {
    secret: name,
    remedy: `Set the environment variable ${name} where Piton is started, and repeat the command.`,
  });
}

/** What a program is given: text as it is, nothing for null, the rest as JSON. */
export function textOf(value: Json): string {
  if (typeof value !== 'string') return value === null ? '' : JSON.stringify(value);
  if (!value.includes('\0')) return value;
  throw new PitonError(
    'COMMAND_NOT_STARTED',
    'A value that it is to be given holds the character NUL, which no program can be given.',
    { remedy: 'Take it out where the value comes from, or pass it in a file.' },
  );
}
