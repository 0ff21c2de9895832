import { asError, PitonError } from '../base/index.ts';
import { loadPatterns } from '../model/index.ts';

/** All places of one line, as offsets; what matches nothing at all is no place. */
export type SearchPattern = (line: string) => readonly { readonly start: number; readonly end: number }[];

/** What is searched for. A text means itself; case does not matter. Throws `USAGE_INVALID`. */
export async function searchPattern(text: string, isRegex: boolean): Promise<SearchPattern> {
  if (text === '')
    throw new PitonError('USAGE_INVALID', 'There is nothing to search for: the text is empty.');
  if (isRegex) return expressionFor(text);
  const itself = new RegExp(text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`), 'giu');
  return (line) =>
    [...line.matchAll(itself)].map(({ 0: found, index }) => ({ start: index, end: index + found.length }));
}

async function expressionFor(text: string): Promise<SearchPattern> {
  const { placesOfPattern } = await loadPatterns();
  const find: SearchPattern = (line) => placesOfPattern(line, text, 'i');
  try {
    find('');
    return find;
  } catch (cause) {
    throw new PitonError('USAGE_INVALID', `${text} is not a regular expression: ${asError(cause).message}.`, {
      cause,
      remedy:
        'Regular expressions are those of RE2: no look-around, no back-references. Or search for the text as it is, without regex.',
    });
  }
}
