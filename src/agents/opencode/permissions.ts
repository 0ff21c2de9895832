import type { JsonObject } from '../../base/index.ts';
import type { Permissions } from '../contract.ts';

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
  permissions: Permissions,
  allowedCommands: readonly string[],
): JsonObject {
  if (permissions === 'full') return { '*': 'allow' };
  if (permissions === 'read') return { '*': 'deny', ...readingTools };
  if (permissions === 'edit') {
    return { '*': 'deny', ...readingTools, edit: 'allow', ...shellRules(allowedCommands) };
  }
  return { '*': 'deny', ...readingTools, ...listed(permissions) };
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
  const rules = `OPENCODE_PERMISSION=${JSON.stringify(opencodePermissions(permissions, ['<check>']))}`;
  if (permissions === 'full') return `${rules}: everything`;
  return `${rules}: what is not allowed is denied`;
}
