import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorField, errorText, PitonError } from './errors.ts';

/** Of each error: enough to see where it was thrown, and not what a recursion without end repeats. */
const mostFrames = 12;
const longestHead = 500;
const mostErrors = 4;

/** `src` or, in what was built, `dist`: frames from there are Piton's own. A module's frame shows its address, not its path. */
const ownFolder = join(import.meta.dirname, '..', sep);
const ownAddress = pathToFileURL(ownFolder).href;

/**
 * Where an error was thrown, and the errors that caused it: bounded, and without the frames of Piton and Node that called the code.
 * Undefined if it has no stack, or is an error that Piton itself threw: then the message says it all.
 */
export function stackText(error: Error): string | undefined {
  const own = sectionOf(error);
  if (own === undefined) return undefined;
  const sections = [own];
  const seen = new Set([error]);
  for (let cause = causeOf(error); cause !== undefined && !seen.has(cause); cause = causeOf(cause)) {
    if (sections.length === mostErrors) break;
    seen.add(cause);
    sections.push(`Caused by: ${sectionOf(cause) ?? headOf(cause)}`);
  }
  return sections.join('\n');
}

function causeOf(error: Error): Error | undefined {
  const cause = errorField(error, 'cause');
  return cause instanceof Error ? cause : undefined;
}

function sectionOf(error: Error): string | undefined {
  const stack = errorText(error, 'stack');
  if (stack === undefined) return undefined;
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  const last = frames.findLastIndex((frame) => !isOwn(frame));
  if (last === -1 && error instanceof PitonError) return undefined;
  const shown = (last === -1 ? frames : frames.slice(0, last + 1)).slice(0, mostFrames);
  return [headOf(error), ...shown.map((frame) => frame.slice(0, longestHead))].join('\n');
}

function headOf(error: Error): string {
  const head = `${errorText(error, 'name') ?? 'Error'}: ${errorText(error, 'message') ?? ''}`;
  return head.length > longestHead ? `${head.slice(0, longestHead)}…` : head;
}

/** What is built into JavaScript itself, such as `Array.find`, is `<anonymous>`. */
function isOwn(frame: string): boolean {
  return [ownAddress, ownFolder, 'node:internal/', '(<anonymous>)'].some((place) => frame.includes(place));
}
