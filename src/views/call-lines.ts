import { isPlainObject, visibleText, type Json } from '../base/index.ts';
import type { AskedCall } from '../kernel/index.ts';

/** A tool call as people read it, with nothing hidden: its tool, and the fields of its input. */
export function callLines({ tool, input }: AskedCall): string[] {
  return [...linesOf(`tool: ${oneLine(tool) || 'unnamed'}`), ...inputLines(input)];
}

/** Each field of the input, with its lines as lines. */
export function inputLines(input: Json): string[] {
  if (!isPlainObject(input)) return fieldLines('input', input);
  return Object.entries(input).flatMap(([name, value]) => fieldLines(name, value));
}

function fieldLines(name: string, value: unknown): string[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const title = oneLine(name);
  return linesOf(text.includes('\n') ? `${title}:\n${text.replaceAll(/^/gm, '  ')}` : `${title}: ${text}`);
}

function linesOf(text: string): string[] {
  return visibleText(text).replaceAll('\t', '  ').split('\n');
}

/** A name that has lines could pretend to be other fields. */
function oneLine(name: string): string {
  return name.replaceAll(/\s+/g, ' ');
}
