const unseen = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/**
 * Whoever decides about a text has to see all of it: characters that hide, move or turn others are written out, as
 * `\u{1b}`. Ends of lines and tabs stay.
 */
export function visibleText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(unseen, (character) =>
      character === '\n' || character === '\t'
        ? character
        : String.raw`\u{${character.codePointAt(0)!.toString(16)}}`,
    );
}
