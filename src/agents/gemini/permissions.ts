import type { Permissions } from '../contract.ts';

/** An approval mode, and rules of the CLI's policy engine for what the mode alone would not allow. */
export interface GeminiPermissions {
  readonly mode: 'default' | 'auto_edit' | 'yolo';
  /** TOML; empty if the mode suffices. */
  readonly policy: string;
}

/** Without a terminal, whatever would be asked about is denied, and tools denied as a whole are not even offered. */
export function geminiPermissions(
  permissions: Permissions,
  allowedCommands: readonly string[],
): GeminiPermissions {
  if (permissions === 'read') return { mode: 'default', policy: '' };
  if (permissions === 'full') return { mode: 'yolo', policy: '' };
  if (permissions === 'edit') {
    return { mode: 'auto_edit', policy: allowedCommands.map((command) => exactCommand(command)).join('\n') };
  }
  return { mode: 'default', policy: permissions.map((entry) => namedTool(entry)).join('\n') };
}

/** The pattern is matched against the call's arguments as JSON, so that a quote ends the command. */
function exactCommand(command: string): string {
  const pattern = escapePattern(`"command":${JSON.stringify(command.trim())}`);
  return rule([`toolName = "run_shell_command"`, `argsPattern = ${tomlText(pattern)}`]);
}

/** `write_file`, or `run_shell_command(git status)` for commands that begin so. */
function namedTool(entry: string): string {
  const prefix = /^run_shell_command\((.+)\)$/s.exec(entry)?.[1];
  if (prefix === undefined) return rule([`toolName = ${tomlText(entry)}`]);
  return rule([`toolName = "run_shell_command"`, `commandPrefix = ${tomlText(prefix)}`]);
}

function rule(conditions: readonly string[]): string {
  return ['[[rule]]', ...conditions, 'decision = "allow"', 'priority = 900', ''].join('\n');
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

/** JSON escapes are TOML escapes, except that TOML wants DEL escaped too. */
function tomlText(text: string): string {
  return JSON.stringify(text).replaceAll('\u007F', String.raw`\u007F`);
}

export function explainGeminiPermissions(permissions: Permissions): string {
  const flags = `--approval-mode ${geminiPermissions(permissions, []).mode}`;
  if (permissions === 'read') return `${flags}: without a terminal only reading tools are offered`;
  if (permissions === 'full') return `${flags}: everything`;
  if (permissions === 'edit') return `${flags} --policy <allows the checks>: file edits and the checks`;
  return `${flags} --policy <allows ${permissions.join(', ')}>: anything else is denied`;
}
