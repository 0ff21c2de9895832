import type { Json } from '../../base/index.ts';
import type { ToolClass } from '../contract.ts';
import { textAt } from '../json-fields.ts';

const reading = new Set([
  'read',
  'glob',
  'grep',
  'list',
  'todowrite',
  'todoread',
  'codesearch',
  'lsp',
  'invalid',
]);
const editing = new Set(['edit', 'write', 'patch', 'apply_patch', 'multiedit']);

export function opencodeToolClass(name: string, input: Json): ToolClass {
  if (reading.has(name)) return 'reading';
  if (editing.has(name)) return 'editing';
  const command = name === 'bash' ? textAt(input, 'command') : undefined;
  return command === undefined ? 'unknown' : { shell: command };
}

/** Whether the CLI has this tool somewhere, so that "not available" means "not allowed here". */
export function isOwnTool(name: string): boolean {
  return reading.has(name) || editing.has(name) || ['bash', 'task', 'webfetch', 'websearch'].includes(name);
}
