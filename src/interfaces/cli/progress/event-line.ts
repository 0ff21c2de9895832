import type { RunEvent } from '../../../library/index.ts';
import { escapeControls, type Output } from '../output/index.ts';
import type { Face } from './face.ts';

/** One event per line; nothing else on standard output. */
export function jsonFace(output: Output): Face {
  return {
    show: (event) => void output.write(`${eventLine(event)}\n`),
    know() {},
    say: ({ text }) => output.note(text),
    prompt() {},
    close() {},
  };
}

/** The stable shape of an event for programs. */
export function eventLine({ run, seq, at, type, ...event }: RunEvent): string {
  const { task, attempt, data } = event as { task?: string; attempt?: string; data: unknown };
  return escapeControls(JSON.stringify({ run, seq, at, type, task, attempt, data }));
}
