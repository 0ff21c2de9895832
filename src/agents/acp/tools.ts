import type { Json } from '../../base/index.ts';
import type { ToolClass } from '../contract.ts';
import { entryOf } from '../json-fields.ts';
import { commandIn } from './calls.ts';

const classes: Readonly<Record<string, ToolClass>> = {
  read: 'reading',
  search: 'reading',
  think: 'reading',
  edit: 'editing',
  move: 'editing',
};

/** The protocol's kinds of tools. Of a command only its own text counts: a title may be what the model says of it. */
export function acpToolClass(name: string, input: Json): ToolClass {
  const command = name === 'execute' ? commandIn(input) : undefined;
  if (command !== undefined) return { shell: command };
  return entryOf(classes, name) ?? 'unknown';
}
