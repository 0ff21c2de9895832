import type { Dynamic, ErrorRule } from '../../model/index.ts';
import type { CommandDraft } from '../workflow-draft.ts';
import { toInherited, toList } from './convert-settings.ts';
import { renameInRun, renameInText, renameInValue } from './rename-in-values.ts';
import type { Entry } from './task-keys.ts';

export function convertCommand(task: Entry, variables: ReadonlySet<string>): CommandDraft {
  const directory = task['working-directory'];
  return {
    type: 'command',
    run: renameInRun(task.run!, variables),
    shell: task.shell,
    env: renameInValue(task.env, variables) as Readonly<Record<string, Dynamic>> | undefined,
    secrets: toList(task.secrets),
    inheritEnv: toInherited(task['inherit-env']),
    workingDirectory: directory === undefined ? undefined : renameInText(directory, variables),
    capture: task.capture,
  };
}

export function convertErrors(rules: Entry['errors']): readonly ErrorRule[] | undefined {
  return rules?.map(({ exit, match, class: kind }) => ({
    ...(exit === undefined ? {} : { exit: typeof exit === 'number' ? [exit] : exit }),
    ...(match === undefined ? {} : { match }),
    class: kind,
  }));
}
