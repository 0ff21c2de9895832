import type { Json } from '../../base/index.ts';
import type { ToolClass } from '../contract.ts';
import { textAt } from '../json-fields.ts';

const reading = new Set([
  'read_file',
  'read_many_files',
  'list_directory',
  'glob',
  'grep_search',
  'search_file_content',
  'google_web_search',
  'cli_help',
  'get_internal_docs',
  'codebase_investigator',
  'write_todos',
  'update_topic',
  'complete_task',
  'read_mcp_resource',
  'list_mcp_resources',
]);
const editing = new Set(['write_file', 'replace', 'edit']);

export function geminiToolClass(name: string, input: Json): ToolClass {
  if (reading.has(name)) return 'reading';
  if (editing.has(name)) return 'editing';
  const command = name === 'run_shell_command' ? textAt(input, 'command') : undefined;
  return command === undefined ? 'unknown' : { shell: command };
}

/** Whether the CLI has this tool somewhere, so that "not registered" means "not allowed here". */
export function isOwnTool(name: string): boolean {
  return reading.has(name) || editing.has(name) || name === 'run_shell_command' || name === 'web_fetch';
}
