import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { findSandbox } from '../../sandbox/index.ts';
import { isProgram } from '../../model/index.ts';
import type { Lack } from './finding.ts';
import type { CheckedTask } from './checked-task.ts';

/** Secrets, variables and files that a task is to be given, and that are not there. */
export function checkSettings(checked: CheckedTask): Lack[] {
  const { task, env, config, hasPlace } = checked;
  const { work, setup } = task.spec;
  if (!isProgram(work)) return [];
  const at = { task: task.path };
  const secrets = work.secrets.filter((name) => env[name] === undefined);
  const inherited = Array.isArray(work.inheritEnv) ? (work.inheritEnv as readonly string[]) : [];
  const variables = inherited.filter((name) => !name.endsWith('*') && env[name] === undefined);
  const files = (hasPlace ? (setup?.copy ?? []) : []).filter(
    (file) => !existsSync(resolve(config.root, file)),
  );
  return [
    ...secrets.map((name): Lack => ({
      ...at,
      level: 'error',
      kind: 'secret',
      key: 'secrets',
      ...noSecret(name),
    })),
    ...variables.map((name): Lack => ({
      ...at,
      level: 'warning',
      kind: 'variable',
      key: 'inherit-env',
      ...noVariable(name),
    })),
    ...files.map((file): Lack => ({
      ...at,
      level: levelOfFile(checked),
      kind: 'file',
      key: 'setup',
      ...noFile(file, config.root),
    })),
  ];
}

type Told = Pick<Lack, 'message' | 'remedy'>;

function noSecret(name: string): Told {
  return {
    message: `The secret ${name} is not in the environment.`,
    remedy: `Set the environment variable ${name} where Piton is started.`,
  };
}

function noVariable(name: string): Told {
  return {
    message: `The variable ${name}, which it is to be given, is not in the environment.`,
    remedy: `Set ${name} where Piton is started, if it is needed.`,
  };
}

function noFile(file: string, root: string): Told {
  return {
    message: `There is no \`${file}\` in ${root} that \`setup\` could copy.`,
    remedy: 'Make it, or take it out of `copy`.',
  };
}

/** In the folder of the run it can only be made by who works there. */
function levelOfFile({ task }: CheckedTask): Lack['level'] {
  return task.isOptional() || task.mayBeBrought('file') ? 'warning' : 'error';
}

/** Tasks that must be contained, where that cannot be done. */
export async function checkContained(checkedTasks: readonly CheckedTask[]): Promise<Lack[]> {
  const strict = checkedTasks.filter(({ task }) => task.spec.sandbox === 'required');
  if (strict.length === 0) return [];
  const found = await findSandbox(strict[0]!.env);
  if (found.by !== 'none') return [];
  return strict.map(({ task }) => ({
    level: task.isOptional() ? 'warning' : 'error',
    kind: 'sandbox',
    task: task.path,
    key: 'sandbox',
    message: `It must be contained, and that cannot be done here: ${found.why}.`,
    remedy: found.remedy,
  }));
}

/** A machine that the configuration does not know. Whether it can be reached is not asked: that would take its time. */
export function checkMachine({
  task,
  config,
  machine,
}: Pick<CheckedTask, 'task' | 'config'> & { readonly machine: string }): Lack[] {
  if (Object.hasOwn(config.remotes, machine)) return [];
  return [
    {
      level: task.isOptional() ? 'warning' : 'error',
      kind: 'machine',
      task: task.path,
      key: 'workspace',
      message: `There is no machine \`${machine}\` in .piton/config.yaml.`,
      remedy: `Add it there: \`remotes: { ${machine}: { host: user@machine } }\`.`,
    },
  ];
}
