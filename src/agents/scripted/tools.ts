import type { Json } from '../../base/index.ts';
import type { ToolClass } from '../contract.ts';
import { textAt } from '../json-fields.ts';

/** The tools of parts: `Read`, `Edit`, `Shell`, and any other name a part makes up. */
export function scriptedToolClass(name: string, input: Json): ToolClass {
  if (name === 'Read') return 'reading';
  if (name === 'Edit') return 'editing';
  const command = name === 'Shell' ? textAt(input, 'command') : undefined;
  return command === undefined ? 'unknown' : { shell: command };
}
