import type { Json } from '../../../base/index.ts';
import { cleanText, cutTo } from '../output/index.ts';
import { isRecord } from './entry.ts';

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
  const lines = [`tool: ${cleanText(tool) || 'unnamed'}`, ...inputLines(input)].flatMap((text) =>
    cleanText(text).replaceAll('\t', '  ').split('\n'),
  );
  if (room === undefined) return lines;
  const shown = lines.slice(0, room.lines).map((line) => cutTo(line, room.columns));
  const more = lines.length - shown.length;
  return more === 0 ? shown : [...shown, `… ${more} more ${more === 1 ? 'line' : 'lines'}`];
}

function inputLines(input: Json): string[] {
  if (!isRecord(input)) return [fieldText('input', input)];
  return Object.entries(input).map(([name, value]) => fieldText(name, value));
}

function fieldText(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return text.includes('\n') ? `${name}:\n${text.replaceAll(/^/gm, '  ')}` : `${name}: ${text}`;
}
