import type { Json } from '../../base/index.ts';
import type { ToolClass } from '../contract.ts';
import { textAt } from '../json-fields.ts';

/** Tools are named `<extension>__<tool>`; those of other extensions are unknown. */
export function gooseToolClass(name: string, input: Json): ToolClass {
  const command = textAt(input, 'command');
  switch (name) {
    case 'developer__shell':
      return command === undefined ? 'unknown' : { shell: command };
    case 'developer__text_editor':
      return command === 'view' ? 'reading' : 'editing';
    case 'developer__write':
    case 'developer__edit':
      return 'editing';
    case 'developer__tree':
    case 'developer__analyze':
    case 'developer__image_processor':
      return 'reading';
    default:
      return 'unknown';
  }
}
