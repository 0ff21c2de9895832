import { commandParts } from '../command-parts.ts';
import type { AgentRequest, Permissions } from '../contract.ts';
import { steeringRules } from '../steering-files.ts';

/** An approval mode, and rules of the CLI's policy engine for what the mode alone would not allow. */
export interface GeminiPermissions {
  readonly mode: 'default' | 'auto_edit' | 'yolo';
  /** TOML; empty if the mode suffices. */
  readonly policy: string;
}

type Limits = Pick<AgentRequest, 'permissions' | 'allowedCommands' | 'directory' | 'writes'>;

/** Without a terminal, whatever would be asked about is denied, and tools denied as a whole are not even offered. */
export function geminiPermissions(request: Limits): GeminiPermissions {
  const { permissions, allowedCommands } = request;
  if (permissions === 'read') return { mode: 'default', policy: '' };
  if (permissions === 'full') return { mode: 'yolo', policy: '' };
  if (permissions === 'edit') {
    const commands = new Set(
      allowedCommands.flatMap((command) => [command.trim(), ...commandParts(command)]),
    );
    return {
      mode: 'auto_edit',
      policy: [notSteering(request), ...[...commands].map(exactCommand)].join('\n'),
    };
  }
  return { mode: 'default', policy: permissions.map((entry) => namedTool(entry)).join('\n') };
}

/**
 * Patterns are matched against the call's arguments as JSON, their names in order and each between two NULs: a command
 * is the first, and one further inside is none.
 */
function commandPattern(text: string): string {
  return String.raw`^\{\x00?${escapePattern(text)}`;
}

/** A quote ends the command. Of a compound one, the whole and each part by itself are asked about. */
function exactCommand(command: string): string {
  return shellRule(commandPattern(`"command":${JSON.stringify(command)}`));
}

/** `write_file`, or `run_shell_command(git status)` for commands that begin so. */
function namedTool(entry: string): string {
  const prefix = /^run_shell_command\((.+)\)$/s.exec(entry)?.[1];
  if (prefix === undefined) return rule({ toolName: entry });
  const begun = commandPattern(`"command":${JSON.stringify(prefix).slice(0, -1)}`);
  return shellRule(String.raw`${begun}(?:[\s"]|\\[nt"])`);
}

function shellRule(argsPattern: string): string {
  return rule({ toolName: 'run_shell_command', argsPattern });
}

function notSteering(request: Limits): string {
  const { folders, foldersBelow, files } = steeringRules(request);
  const path = String.raw`"file_path":[^\x00]*["/\\]`;
  const patterns = [String.raw`${path}${oneOf(folders)}["/\\]`, `${path}${oneOf(files)}"`];
  if (foldersBelow.length > 0) patterns.push(...below(request.directory, foldersBelow));
  const tools = ['write_file', 'replace'];
  return tools
    .flatMap((toolName) => patterns.map((argsPattern) => rule({ toolName, argsPattern }, 'deny')))
    .join('\n');
}

/**
 * From where it works, or by the whole path: above that, the same names are nothing to deny. Of a pattern that looks ahead the CLI takes
 * no notice.
 */
function below(directory: string, folders: readonly string[]): readonly string[] {
  const whole = `${escapePattern(JSON.stringify(directory).slice(1, -1))}/`;
  const end = String.raw`${oneOf(folders)}["/\\]`;
  const ways = [
    String.raw`${whole}${end}`,
    String.raw`${whole}[^\x00"]*[/\\]${end}`,
    end,
    String.raw`[^/\\\x00"][^\x00"]*[/\\]${end}`,
  ];
  return ways.map((way) => `"file_path":"${way}`);
}

function oneOf(names: readonly string[]): string {
  return `(?:${names.map(escapePattern).join('|')})`;
}

function rule(conditions: Readonly<Record<string, string>>, decision: 'allow' | 'deny' = 'allow'): string {
  const lines = Object.entries(conditions).map(([key, text]) => `${key} = ${tomlText(text)}`);
  // What is denied stays so, whatever is allowed.
  const priority = decision === 'deny' ? 950 : 900;
  return ['[[rule]]', ...lines, `decision = "${decision}"`, `priority = ${priority}`, ''].join('\n');
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

/** JSON escapes are TOML escapes, except that TOML wants DEL escaped too. */
function tomlText(text: string): string {
  return JSON.stringify(text).replaceAll('\u007F', String.raw`\u007F`);
}

export function explainGeminiPermissions(permissions: Permissions): string {
  const flags = `--approval-mode ${geminiPermissions({ permissions, allowedCommands: [], directory: '' }).mode}`;
  if (permissions === 'read') return `${flags}: without a terminal only reading tools are offered`;
  if (permissions === 'full') return `${flags}: everything`;
  if (permissions === 'edit')
    return `${flags} --policy <allows the checks, denies settings of agents, git and Piton>: file edits and the checks`;
  return `${flags} --policy <allows ${permissions.join(', ')}>: anything else is denied`;
}
