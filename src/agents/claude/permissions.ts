import type { Permissions } from '../contract.ts';
import { commandParts } from '../command-parts.ts';

const readingTools = ['Read', 'Glob', 'Grep', 'LS', 'NotebookRead', 'TodoWrite'];
const editingTools = ['Edit', 'MultiEdit', 'Write', 'NotebookEdit'];
const allTools = [
  ...readingTools,
  ...editingTools,
  'Bash',
  'Monitor',
  'WebFetch',
  'WebSearch',
  'Task',
  'Skill',
  'Workflow',
  'SendMessage',
  'mcp__*',
];

/**
 * In modes that ask about what is not allowed here: our hook hears the question. Without it, as in `--print`
 * nobody can be asked, it is denied. `full` is a list of everything and not `bypassPermissions`: the CLI refuses
 * that to root.
 */
export function claudePermissions(
  permissions: Permissions,
  allowedCommands: readonly string[],
): readonly string[] {
  if (permissions === 'read') return [...asking, '--tools', readingTools.join(',')];
  if (permissions === 'edit') {
    return ['--permission-mode', 'acceptEdits', ...allowed(allowedCommands.flatMap(commandRules))];
  }
  return [...asking, ...allowed(permissions === 'full' ? allTools : permissions)];
}

/** Newer versions call it `manual`, and know the old name, too. */
const asking = ['--permission-mode', 'default'];

/** One rule per word and another option after them: the option takes every word that follows it. */
function allowed(rules: readonly string[]): readonly string[] {
  return rules.length === 0 ? [] : ['--allowedTools', ...rules];
}

/** The CLI asks about each part of a compound command by itself. A star stands for anything there, and cannot be escaped. */
function commandRules(command: string): readonly string[] {
  const parts = commandParts(command).filter((part) => !part.includes('*'));
  return [...new Set(parts)].map((part) => `Bash(${escapeRule(part)})`);
}

/** Brackets in a rule would end it. */
function escapeRule(text: string): string {
  return text.replaceAll(/[\\()]/g, String.raw`\$&`);
}

export function explainClaudePermissions(permissions: Permissions): string {
  if (permissions === 'edit') {
    return '--permission-mode acceptEdits --allowedTools "Bash(<check>)": file edits (also by rm, mv, cp, sed and the like, in its folder), commands that only read, and the checks; settings of other agents and of Piton are denied; anything else is asked';
  }
  const flags = claudePermissions(permissions, []).join(' ');
  if (permissions === 'read') return `${flags}: has no other tools; reading elsewhere is asked`;
  return permissions === 'full' ? `${flags}: everything, also as root` : `${flags}: anything else is asked`;
}
