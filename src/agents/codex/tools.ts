import type { Json } from '../../base/index.ts';
import type { ToolClass } from '../contract.ts';
import { textAt } from '../json-fields.ts';

/** Codex names no tools on its stream, only kinds of items. */
export function codexToolClass(name: string, input: Json): ToolClass {
  if (name === 'file_change') return 'editing';
  if (name === 'web_search' || name === 'todo_list') return 'reading';
  const command = name === 'command_execution' ? textAt(input, 'command') : undefined;
  return command === undefined ? 'unknown' : { shell: unwrapShell(command) };
}

/** `/bin/bash -lc 'git status'` is `git status`, which is what a classifier of commands knows. */
function unwrapShell(command: string): string {
  const wrapped = /^\S*\b(?:ba|z|da)?sh -l?c (.+)$/s.exec(command)?.[1];
  if (wrapped === undefined) return command;
  const quoted = /^'(.*)'$/s.exec(wrapped)?.[1];
  if (quoted !== undefined) return quoted.replaceAll(String.raw`'\''`, "'");
  return /^"(.*)"$/s.exec(wrapped)?.[1]?.replaceAll(/\\(["$`\\])/g, '$1') ?? wrapped;
}
