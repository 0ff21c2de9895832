import { isPlainObject, visibleText, type Json } from '../../../base/index.ts';
import { cutTo } from '../output/index.ts';

/** A tool call that an agent may not make by itself. */
export interface AskedCall {
  readonly tool: string;
  readonly input: Json;
}

export interface AskedRoom {
  readonly lines: number;
  readonly columns: number;
}

/**
 * A call for somebody who has to decide about it: each field of its input, with its lines as lines. What does not fit is
 * counted, so that nobody takes a part for the whole.
 */
export function askedLines({ tool, input }: AskedCall, room?: AskedRoom): string[] {
  const lines = [`tool: ${oneLine(tool) || 'unnamed'}`, ...inputLines(input)].flatMap((text) =>
    visibleText(text).replaceAll('\t', '  ').split('\n'),
  );
  if (room === undefined) return lines;
  const shown = lines.slice(0, room.lines).map((line) => cutLine(line, room.columns));
  const more = lines.length - shown.length;
  return more === 0 ? shown : [...shown, `… ${more} more ${more === 1 ? 'line' : 'lines'}`];
}

function cutLine(line: string, columns: number): string {
  const cut = cutTo(line, columns);
  return cut === line ? line : `${cut} (${line.length - cut.length + 1} more characters)`;
}

function inputLines(input: Json): string[] {
  if (!isPlainObject(input)) return [fieldText('input', input)];
  return Object.entries(input).map(([name, value]) => fieldText(name, value));
}

function fieldText(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const title = oneLine(name);
  return text.includes('\n') ? `${title}:\n${text.replaceAll(/^/gm, '  ')}` : `${title}: ${text}`;
}

/** A name that has lines could pretend to be other fields. */
function oneLine(name: string): string {
  return name.replaceAll(/\s+/g, ' ');
}
