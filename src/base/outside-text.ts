import { cleanText } from './clean-text.ts';

/**
 * What agents write goes into commits and pull requests, where services and git read more than words: mentions that notify
 * people, references that close issues, orders to bots, trailers that say who did it, marks that switch checks off, markup that hides. An
 * invisible space keeps each of them from being more than words; whoever reads the text sees what was written.
 */
const gap = '\u200b';

/** Invisible characters, but for the one that joins emoji. */
const invisible = /(?!\u200d)\p{Cf}/gu;

const steering: readonly (readonly [pattern: RegExp, change: string])[] = [
  // @somebody, but not an address of mail.
  [/(?<![\p{L}\p{N}_])@(?=[\p{L}\p{N}])/gu, `@${gap}`],
  // #12, owner/repository#12, #close
  [/#(?=[\p{L}\p{N}_])/gu, `#${gap}`],
  [/\b(GH)-(?=\d)/gi, `$1-${gap}`],
  [/(?<![\p{L}\p{N}_])!(?=\d)/gu, `!${gap}`],
  [
    /\b(close[sd]?|closing|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?)(?=:?\s+https?:)/gi,
    `$1${gap}`,
  ],
  // [skip ci] and the like
  [/\[(?=\s*(?:skip|no|ci|actions|azurepipelines|travis|wip)\b[^\]\n]{0,30}\])/gi, `[${gap}`],
  [/\*{3}(?=NO_CI)/gi, `**${gap}*`],
  // /approve, /merge: orders to bots, at the beginning of a line
  [/^([ \t]*)\/(?=[a-z])/gim, `$1${gap}/`],
  // What Piton itself looks for.
  [/\b(Piton)-(?=[a-z])/gi, `$1-${gap}`],
];

/** As a part of a commit message: nothing in it is taken for more than words, and no line of it for a trailer or a patch. */
export function proseOf(text: string): string {
  return (
    withoutSteering(plainText(text))
      // A line that begins so is a comment, or the end of the message.
      .replaceAll(/^#+[ \t]+/gm, '')
      .replaceAll(/^(?=#)/gm, gap)
      .replaceAll(/^---(?=\s|$)/gm, '***')
      .replaceAll(/^(?=(?:[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9\u200b]+)+\s*:|diff -|Index: ))/gm, '> ')
      .trim()
  );
}

function plainText(text: string): string {
  return cleanText(text.toWellFormed()).replaceAll(invisible, '').replaceAll('\r\n', '\n');
}

function withoutSteering(text: string): string {
  return steering.reduce((rest, [pattern, change]) => rest.replaceAll(pattern, change), text);
}

/** The same in one line. */
export function proseLineOf(text: string): string {
  return proseOf(text.replaceAll(/\s+/g, ' '));
}

const markup: readonly (readonly [pattern: RegExp, change: string])[] = [
  // Tags and comments, images, links that show another text than where they lead, definitions, which are not shown at all.
  [/<(?=[A-Za-z/!?])/g, `<${gap}`],
  [/!(?=\[)/g, `!${gap}`],
  // &commat; is an @ there
  [/&(?=#?\w+;)/g, `&${gap}`],
  [/\](?=[(:[])/g, `]${gap}`],
  // Formulas can be drawn in any colour, or not at all.
  [/\$(?=[\\`$A-Za-z{(])/g, `$${gap}`],
  // Fences are kept only where they are seen to end.
  [/(?<=^[\s>*+\d.)-]*)(?=`{3}|~{3})/gm, gap],
];

/** As a part of a text in Markdown: all of it is shown, and it ends where it ends. */
export function markdownOf(text: string): string {
  const parts = splitFences(plainText(text));
  return parts
    .map((part) =>
      'code' in part
        ? part.code
        : markup.reduce(
            (rest, [pattern, change]) => rest.replaceAll(pattern, change),
            withoutSteering(part.prose),
          ),
    )
    .join('\n')
    .trim();
}

type Part = { readonly prose: string } | { readonly code: string };

/** Blocks of code that begin and end at the first column: such a one is never a part of anything else. */
function splitFences(text: string): Part[] {
  const parts: Part[] = [];
  const lines = text.split('\n');
  let prose: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [, fence] = /^(`{3,}|~{3,})[^`]*$/.exec(lines[at]!) ?? [];
    const end =
      fence === undefined ? -1 : lines.findIndex((line, index) => index > at && isEndOf(line, fence));
    if (end < 0) {
      prose.push(lines[at]!);
      continue;
    }
    // What the block is in may be drawn instead of shown.
    parts.push({ prose: prose.join('\n') }, { code: [fence, ...lines.slice(at + 1, end), fence].join('\n') });
    prose = [];
    at = end;
  }
  return [...parts, { prose: prose.join('\n') }];
}

/** As Markdown has it, also indented: else what comes after it would be shown as text and not be treated as such. */
function isEndOf(line: string, fence: string): boolean {
  const bare = line.replace(/^ {1,3}/, '').trimEnd();
  return bare.startsWith(fence) && bare.replaceAll(fence[0]!, '') === '';
}
