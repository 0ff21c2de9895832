import type { Json } from '../../base/index.ts';
import type { ToolClass } from '../contract.ts';
import { textAt } from '../json-fields.ts';

const reading = new Set([
  'Read',
  'Glob',
  'Grep',
  'LS',
  'NotebookRead',
  'TodoRead',
  'TodoWrite',
  'BashOutput',
  'TaskOutput',
  'TaskList',
  'TaskGet',
  'ToolSearch',
  'LSP',
  'StructuredOutput',
  'ListMcpResourcesTool',
  'ExitPlanMode',
  'EnterPlanMode',
]);
const editing = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit']);
const shells = new Set(['Bash', 'PowerShell']);

export function claudeToolClass(name: string, input: Json): ToolClass {
  if (reading.has(name)) return 'reading';
  if (editing.has(name)) return 'editing';
  const command = shells.has(name) ? textAt(input, 'command') : undefined;
  return command === undefined ? 'unknown' : { shell: command };
}
