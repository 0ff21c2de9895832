import type { Finding, Path } from '../problems.ts';
import type { WorkflowFile } from './file-schema.ts';
import { isLaterMode, laterModeReason, laterTaskKeys, laterWorkflowKeys } from './later-keys.ts';

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
  readonly workspace?: string | undefined;
  readonly tasks?: Readonly<Record<string, Nested>> | undefined;
}

function inTasks(tasks: Readonly<Record<string, Nested>>, at: Path): Finding[] {
  return Object.entries(tasks).flatMap(([name, task]) => [
    ...usesOf(task, laterTaskKeys, [...at, name]),
    ...inTasks(task.tasks ?? {}, [...at, name, 'tasks']),
  ]);
}

function usesOf(entry: Nested, later: Readonly<Record<string, string>>, at: Path): Finding[] {
  const keys = Object.keys(entry).filter((key) => Object.hasOwn(later, key));
  return [
    ...keys.map((key) => ({ at: [...at, key], onKey: true, ...notYet(key, later[key]!) })),
    ...laterMode(entry.workspace, [...at, 'workspace']),
  ];
}

function laterMode(mode: string | undefined, at: Path): Finding[] {
  if (mode === undefined || !isLaterMode(mode)) return [];
  return [{ at, ...notYet(mode, laterModeReason), remedy: 'Write `worktree` or `shared`.' }];
}

function notYet(word: string, reason: string): Pick<Finding, 'message'> {
  return { message: `\`${word}\` is not available yet: ${reason}.` };
}
