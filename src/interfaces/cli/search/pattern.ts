import { asError, PitonError } from '../../../base/index.ts';
import { loadPatterns } from '../../../model/index.ts';

/** Where in a line something was found, as offsets. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** All places of one line; what matches nothing at all is no place. */
export type Pattern = (line: string) => readonly Place[];

/** What is searched for. A text means itself; case does not matter. Throws `USAGE_INVALID`. */
export async function patternFor(text: string, isRegex: boolean): Promise<Pattern> {
  if (text === '')
    throw new PitonError('USAGE_INVALID', 'There is nothing to search for: the text is empty.');
  if (isRegex) return expressionFor(text);
  const itself = new RegExp(text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`), 'giu');
  return (line) =>
    [...line.matchAll(itself)].map(({ 0: found, index }) => ({ start: index, end: index + found.length }));
}

async function expressionFor(text: string): Promise<Pattern> {
  const { placesOfPattern } = await loadPatterns();
  const find: Pattern = (line) => placesOfPattern(line, text, 'i');
  try {
    find('');
    return find;
  } catch (cause) {
    throw new PitonError('USAGE_INVALID', `${text} is no expression: ${asError(cause).message}.`, {
      cause,
      remedy:
        'Expressions are those of RE2, without looking around and referring back. Or leave out --regex, to search for the text as it is.',
    });
  }
}
