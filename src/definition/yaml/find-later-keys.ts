import type { Finding, Path } from '../problems.ts';
import type { WorkflowFile } from './file-schema.ts';
import { laterTaskKeys, laterWorkflowKeys } from './later-keys.ts';

/** Uses of keys that have a meaning, but not yet. */
export function findLaterKeys(file: WorkflowFile): Finding[] {
  return [
    ...usesOf(file, laterWorkflowKeys, []),
    ...usesOf(file.defaults ?? {}, laterTaskKeys, ['defaults']),
    ...inTasks(file.tasks ?? {}, ['tasks']),
    ...inTasks(file.graph ?? {}, ['graph']),
  ];
}

interface Nested {
  readonly tasks?: Readonly<Record<string, Nested>> | undefined;
}

function inTasks(tasks: Readonly<Record<string, Nested>>, at: Path): Finding[] {
  return Object.entries(tasks).flatMap(([name, task]) => [
    ...usesOf(task, laterTaskKeys, [...at, name]),
    ...inTasks(task.tasks ?? {}, [...at, name, 'tasks']),
  ]);
}

function usesOf(entry: object, later: Readonly<Record<string, string>>, at: Path): Finding[] {
  return Object.keys(entry)
    .filter((key) => Object.hasOwn(later, key))
    .map((key) => ({
      at: [...at, key],
      onKey: true,
      message: `\`${key}\` is not available yet: ${later[key]}.`,
    }));
}
