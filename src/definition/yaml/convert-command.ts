import type { Dynamic, ErrorRule } from '../../model/index.ts';
import type { Finding, Path } from '../problems.ts';
import type { CommandDraft } from '../workflow-draft.ts';
import { toList } from './convert-settings.ts';
import type { Defaults, NodeEntry, TaskEntry } from './file-schema.ts';
import { renameInText, renameInValue } from './rename-in-values.ts';

type Entry = TaskEntry & NodeEntry;

/** What the file as a whole gives to each of its commands. */
export type SharedByCommands = Pick<Entry, 'env' | 'secrets'>;

const ofCommands = ['shell', 'env', 'secrets', 'working-directory', 'capture'] as const;

/** A group has no defaults of its own: they would apply to it and again to each task in it. */
export function withDefaults(entry: Entry, defaults: Defaults, shared: SharedByCommands): Entry {
  if (entry.tasks !== undefined) return entry;
  const task = { ...defaults, ...entry };
  if (entry.run === undefined) return withoutCommandKeys(task);
  const lists = [shared, defaults, entry].flatMap(({ secrets }) => toList(secrets) ?? []);
  return {
    ...task,
    env: { ...shared.env, ...defaults.env, ...entry.env },
    secrets: [...new Set(lists)],
  };
}

function withoutCommandKeys(task: Entry): Entry {
  const rest = { ...task };
  for (const key of ofCommands) delete rest[key];
  return rest;
}

/** Keys of the other kinds of tasks. What comes from the defaults just does not apply. */
export function findMisplacedKeys(entry: Entry, at: Path): Finding[] {
  if (entry.run !== undefined) return findForeignKeys(entry, at);
  return ofCommands
    .filter((key) => entry[key] !== undefined)
    .map((key) => ({
      at: [...at, key],
      onKey: true,
      message: `\`${key}\` is for commands, and this task has no \`run\`.`,
      remedy: 'Put it on the task that runs the command, or in `defaults`.',
    }));
}

function findForeignKeys(entry: Entry, at: Path): Finding[] {
  const findings: Finding[] = [];
  if (entry.with !== undefined) {
    const message = '`with` is for functions and workflow files.';
    const remedy = 'Give a command its values with `${{ }}` in `run`, or with `env`.';
    findings.push({ at: [...at, 'with'], onKey: true, message, remedy });
  }
  if (entry.shell !== undefined && typeof entry.run !== 'string') {
    const message = 'A list of a program and its arguments is seen by no shell.';
    findings.push({ at: [...at, 'shell'], onKey: true, message, remedy: 'Remove `shell`.' });
  }
  return findings;
}

export function convertCommand(task: Entry, variables: ReadonlySet<string>): CommandDraft {
  const run = task.run!;
  const directory = task['working-directory'];
  return {
    type: 'command',
    run:
      typeof run === 'string'
        ? renameInText(run, variables)
        : run.map((part) => renameInText(String(part), variables)),
    shell: task.shell,
    env: renameInValue(task.env, variables) as Readonly<Record<string, Dynamic>> | undefined,
    secrets: toList(task.secrets),
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
