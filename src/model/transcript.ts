import { cleanLine, isPlainObject, type Json } from '../base/index.ts';
import { callText } from './call-text.ts';
import type { EventOf } from './events.ts';

type Transcript = EventOf<'transcript.added'>['data'];

/** What is needed to count what was used, also of journals that were written before it had a place of its own. */
export function usageEntriesOf({ used, entries = [] }: Transcript): readonly Json[] {
  return used ?? entries;
}

/** See `lastWord`. */
export function lastWordOf({ last, entries = [] }: Transcript): string | undefined {
  return last ?? lastWord(entries);
}

/** Lists show it, and it is stored beside what it is taken from. */
const longest = 200;

/**
 * What an agent is at, in one line: its last message or tool call among these entries of a transcript. Undefined if there is neither.
 * They may have been stored by another version: nothing in them is taken for granted.
 */
export function lastWord(entries: readonly unknown[]): string | undefined {
  for (const entry of entries.toReversed()) {
    const word = isPlainObject(entry) ? wordOf(entry) : '';
    if (word !== '') return cut(word);
  }
  return undefined;
}

function wordOf({ type, role, name, input, text }: Readonly<Record<string, unknown>>): string {
  if (type === 'tool-started') return `▸ ${callText(textOf(name), input)}`;
  return type === 'message' && role !== 'user' ? cleanLine(textOf(text)) : '';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Not in the middle of a character. */
function cut(text: string): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
