import { cleanLine } from '../output/index.ts';
import { callText } from './call-text.ts';
import { entryOf, textIn } from './entry.ts';

/** What an agent is at, in one line: its last message or tool call among these. Undefined if there is neither. */
export function lastWord(entries: readonly unknown[]): string | undefined {
  for (const value of entries.toReversed()) {
    const entry = entryOf(value);
    const type = textIn(entry, 'type');
    if (type === 'tool-started') return `▸ ${callText(textIn(entry, 'name'), entry['input'])}`;
    if (type !== 'message' || textIn(entry, 'role') === 'user') continue;
    const text = cleanLine(textIn(entry, 'text'));
    if (text !== '') return text;
  }
  return undefined;
}
