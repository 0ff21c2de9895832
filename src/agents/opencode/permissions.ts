import type { JsonObject } from '../../base/index.ts';
import { commandParts } from '../command-parts.ts';
import type { AgentRequest, Permissions } from '../contract.ts';
import { steeringRules } from '../steering-files.ts';

const readingTools = {
  read: 'allow',
  glob: 'allow',
  grep: 'allow',
  list: 'allow',
  todowrite: 'allow',
} as const;

/**
 * What is not allowed is denied and never asked about. The last rule that matches decides, so the one for
 * everything comes first.
 */
export function opencodePermissions(
  request: Pick<AgentRequest, 'permissions' | 'allowedCommands' | 'directory' | 'writes'>,
): JsonObject {
  const { permissions, allowedCommands } = request;
  if (permissions === 'full') return { '*': 'allow' };
  if (permissions === 'read') return { '*': 'deny', ...readingTools };
  if (permissions === 'edit') {
    return {
      '*': 'deny',
      ...readingTools,
      edit: ownFiles(request),
      ...shellRules(allowedCommands.flatMap(exactParts)),
    };
  }
  return { '*': 'deny', ...readingTools, ...listed(permissions) };
}

/**
 * A star stands for anything, also for a slash. Paths are those from the root of the checkout or, where there is none, of the file
 * system.
 */
function ownFiles(request: Pick<AgentRequest, 'directory' | 'writes'>): JsonObject {
  const { folders, foldersBelow, files } = steeringRules(request);
  const anywhere = [...folders.map((folder) => `${folder}/*`), ...files].flatMap((path) => [
    path,
    `*/${path}`,
  ]);
  const from = request.directory.replace(/^\//, '');
  const below = foldersBelow.flatMap((folder) => [
    `${folder}/*`,
    `${from}/${folder}/*`,
    `${from}/*/${folder}/*`,
  ]);
  const denied = [...anywhere, ...below].map((path) => [path, 'deny']);
  return Object.fromEntries([['*', 'allow'], ...denied]) as JsonObject;
}

/** The CLI asks about each part of a compound command by itself. Wildcards cannot be escaped. */
function exactParts(command: string): readonly string[] {
  return commandParts(command).filter((part) => !/[*?]/.test(part));
}

function shellRules(commands: readonly string[]): JsonObject {
  if (commands.length === 0) return {};
  const rules = commands.map((command) => [command.trim(), 'allow']);
  return { bash: { '*': 'deny', ...(Object.fromEntries(rules) as JsonObject) } };
}

/** `edit`, or `bash(git status *)` for commands that match. */
function listed(entries: readonly string[]): JsonObject {
  const commands = entries.flatMap((entry) => /^bash\((.+)\)$/s.exec(entry)?.[1] ?? []);
  const tools = entries.filter((entry) => !/^bash\(.+\)$/s.test(entry)).map((entry) => [entry, 'allow']);
  return { ...shellRules(commands), ...(Object.fromEntries(tools) as JsonObject) };
}

export function explainOpencodePermissions(permissions: Permissions): string {
  const rules = opencodePermissions({ permissions, allowedCommands: ['<check>'], directory: '' });
  const edit = { '*': 'allow', '<settings of agents, git and Piton>': 'deny' };
  const shown = permissions === 'edit' ? { ...rules, edit } : rules;
  const ending = permissions === 'full' ? 'everything' : 'what is not allowed is denied';
  return `OPENCODE_PERMISSION=${JSON.stringify(shown)}: ${ending}`;
}
