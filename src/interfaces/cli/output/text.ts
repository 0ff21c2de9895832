import { cleanLine, cleanText } from '../../../base/index.ts';

export { cleanLine, cleanText } from '../../../base/index.ts';

// eslint-disable-next-line no-control-regex
const paints = /(\u001b\[(?:[12]|22|3[1-6]|39)m)/;

/** The same, but for the colours that our own style gives, if it gives any. */
export function cleanPainted(line: string, isColoured: boolean): string {
  if (!isColoured) return cleanText(line);
  const parts = line.split(paints);
  return parts.map((part, index) => (index % 2 === 0 ? cleanText(part) : part)).join('');
}

/** Several lines that say why, such as the last of what a command printed, in one: it stays visible where each ends. */
export function reasonLine(text: string): string {
  const lines = cleanText(text).split('\n').map(cleanLine);
  return lines.filter((line) => line !== '').join(' · ');
}

/** JSON has no control characters but these, and may be looked at on a terminal. Whoever parses it gets them back. */
export function escapeControls(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The columns a text takes on a terminal; it holds no control characters. */
export function widthOf(text: string): number {
  // Most text is ASCII and our own symbols: making a segmenter for it would cost more than all else.
  if (/^[ -~·‖…→─│┌└├▶▼◔○●⊘✓✗]*$/.test(text)) return text.length;
  return charactersOf(text).reduce((width, character) => width + widthOfCharacter(character), 0);
}

/** At most `width` columns wide; what was cut ends with an ellipsis. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let cut = '';
  let used = 1;
  for (const character of charactersOf(text)) {
    used += widthOfCharacter(character);
    if (used > width) break;
    cut += character;
  }
  return width < 1 ? '' : `${cut}…`;
}

export function padTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

let segmenter: Intl.Segmenter | undefined;

/** As people see them: a letter with its marks is one. */
function charactersOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

const wide =
  /^(?:\p{Emoji_Presentation}|.\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])/u;

function widthOfCharacter(character: string): number {
  if (/^[\p{Mark}\u200b-\u200d\ufeff]+$/u.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
