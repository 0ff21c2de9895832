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

/** The same of a name: an end of a line in it is written out too, or what follows could pass for a line of ours. */
export function visibleName(name: string): string {
  return visibleText(name.replaceAll('\n', String.raw`\n`).replaceAll('\t', String.raw`\t`));
}

const controls = /(?![\n\t\r])\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\r(?!\n)/u;

/** Whether a terminal would be told something by it, or show it in another order. */
export function hasControls(text: string): boolean {
  return controls.test(text);
}
