import { asError, PitonError } from '../../../base/index.ts';

/** Where in a line something was found, as offsets. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** What is searched for. A text means itself; case does not matter. Throws `USAGE_INVALID`. */
export function patternFor(text: string, isRegex: boolean): RegExp {
  if (text === '')
    throw new PitonError('USAGE_INVALID', 'There is nothing to search for: the text is empty.');
  if (!isRegex) return new RegExp(text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`), 'giu');
  try {
    return new RegExp(text, 'giu');
  } catch (cause) {
    throw new PitonError('USAGE_INVALID', `${asError(cause).message}.`, {
      cause,
      remedy: 'Mend the expression, or leave out --regex to search for the text as it is.',
    });
  }
}

/** All places of one line; what matches nothing at all is no place. */
export function placesIn(line: string, pattern: RegExp): Place[] {
  return [...line.matchAll(pattern)]
    .filter(([found]) => found !== '')
    .map(({ 0: found, index }) => ({ start: index, end: index + found.length }));
}
