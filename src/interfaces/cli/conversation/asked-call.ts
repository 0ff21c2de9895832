import type { Json } from '../../../base/index.ts';
import { callLines } from '../../../library/index.ts';
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

/** A call for somebody who has to decide about it. What does not fit is counted, so that nobody takes a part for the whole. */
export function askedLines(call: AskedCall, room?: AskedRoom): string[] {
  const lines = callLines(call);
  if (room === undefined) return lines;
  const shown = lines.slice(0, room.lines).map((line) => cutLine(line, room.columns));
  const more = lines.length - shown.length;
  return more === 0 ? shown : [...shown, `… ${more} more ${more === 1 ? 'line' : 'lines'}`];
}

function cutLine(line: string, columns: number): string {
  const cut = cutTo(line, columns);
  return cut === line ? line : `${cut} (${line.length - cut.length + 1} more characters)`;
}
