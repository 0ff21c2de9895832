import { isScalar, visit, type Document, type LineCounter, type Scalar, type YAMLError } from 'yaml';
import { mendFlow, quoteText, unclosedBrackets, withoutTabs } from './mended-lines.ts';

/** The text of a file as far as YAML could read it. */
export interface Source {
  readonly text: string;
  readonly file: string;
  readonly lines: LineCounter;
  readonly document: Document.Parsed;
}

/** What is wrong, in words, where a person would look for it, and the line as it should be. */
export interface Mend {
  readonly message: string;
  /** Default: where YAML noticed it. */
  readonly at?: number;
  readonly mended?: string;
  /** Instead of the mended line. */
  readonly remedy?: string;
}

/** The usual slips by the code that YAML has for what follows from them; undefined: in YAML's own words. */
export function mendOf(source: Source, error: YAMLError): Mend | undefined {
  return bareExpression(source, error.pos[0]) ?? mends[error.code]?.(source, error);
}

type Mending = (source: Source, error: YAMLError) => Mend | undefined;

const mends: Readonly<Record<string, Mending>> = {
  TAB_AS_INDENT: (source, error) => ({
    message: 'A tab indents this line, and YAML allows only spaces.',
    mended: withoutTabs(lineAt(source, error.pos[0]).text),
  }),
  MISSING_CHAR: (source, error) => unclosedQuote(source, error) ?? unclosedFlow(source, error),
  BAD_INDENT: (source, error) => unclosedFlow(source, error) ?? badIndent(source, error.pos[0]),
  UNEXPECTED_TOKEN: unclosedFlow,
  MULTILINE_IMPLICIT_KEY: missingSpace,
  BLOCK_AS_IMPLICIT_KEY: colonInText,
  BAD_SCALAR_START: reservedCharacter,
  TAG_RESOLVE_FAILED: reservedCharacter,
  BAD_ALIAS: reservedCharacter,
  BAD_DQ_ESCAPE: badEscape,
  DUPLICATE_KEY: duplicateKey,
  MULTIPLE_DOCS: () => ({
    message: 'A file holds one workflow; here a second document begins.',
    remedy: 'Put it into a file of its own.',
  }),
};

const longestLook = 1_000;

interface Line {
  readonly start: number;
  readonly text: string;
}

/** Of a very long line what is around. */
export function lineAt({ text }: Source, offset: number): Line {
  const start = Math.max(text.lastIndexOf('\n', offset - 1) + 1, offset - longestLook);
  return {
    start,
    text: text
      .slice(start, offset + longestLook)
      .split('\n', 1)[0]!
      .replace(/\r$/, ''),
  };
}

/** The expression without quotes in which YAML has stumbled, if it has: before the place, on the same line. */
function bareExpression(source: Source, offset: number): Mend | undefined {
  const { start, text } = lineAt(source, offset);
  const found = [...text.matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|(\$\{\{.*?(?:\}\}|$))/g)].findLast(
    ({ 1: bare, index }) => bare !== undefined && start + index <= offset,
  );
  if (found === undefined || !/[[{]/.test(text.slice(0, found.index))) return undefined;
  const message = `YAML takes the braces of \`${found[1]!}\` for its own: in { } and [ ] it has to be in quotes.`;
  return { at: start + found.index, message, mended: mendFlow(text) };
}

function unclosedQuote(source: Source, { pos, message }: YAMLError): Mend | undefined {
  if (!/quote/.test(message)) return undefined;
  const opened = scalarsOf(source).findLast(
    ({ type, range }) => (type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE') && range![1] >= pos[0],
  );
  if (opened === undefined) return undefined;
  const at = opened.range![0];
  const mark = source.text[at]!;
  const { text } = lineAt(source, at);
  const [, before = text, after = ''] = /^(.*?)([\s\]},]*)$/.exec(text) ?? [];
  return { at, message: `The quote ${mark} is not closed.`, mended: `${before}${mark}${after}` };
}

function scalarsOf({ document }: Source): Scalar[] {
  const scalars: Scalar[] = [];
  visit(document, { Scalar: (_, node) => void (node.range != null && scalars.push(node)) });
  return scalars;
}

/** What is noticed at the end, or in the next line, is told where it was opened. */
function unclosedFlow(source: Source, { pos }: YAMLError): Mend | undefined {
  let start: number | undefined;
  visit(source.document, {
    Collection: (_, { flow, range }) => {
      if (flow === true && range != null && range[0] < pos[0] && range[1] >= pos[0] - 1) start = range[0];
    },
  });
  if (start === undefined) return undefined;
  const line = lineAt(source, start);
  const open = unclosedBrackets(line.text);
  const last = open.at(-1);
  if (last === undefined) return undefined;
  const closing = open
    .toReversed()
    .map(({ closer }) => closer)
    .join('');
  const isGoingOn = /[[{,]\s*$/.test(line.text);
  return {
    at: line.start + last.index,
    message: `The bracket ${line.text[last.index]} is not closed.`,
    ...(isGoingOn
      ? { remedy: `Close it: \`${closing.trim()}\`.` }
      : { mended: `${line.text.trimEnd()}${closing}` }),
  };
}

/** `needs:one`: without a space it is one word. */
function missingSpace(source: Source, { pos }: YAMLError): Mend | undefined {
  const { text, start } = lineAt(source, pos[0]);
  const [, before, key, value] = /^(\s*(?:- )?)([\w-]+):(\S.*)$/.exec(text) ?? [];
  if (key === undefined) return undefined;
  const at = start + before!.length + key.length;
  return {
    at,
    message: `There is no space after the colon of \`${key}:\`.`,
    mended: `${before}${key}: ${value}`,
  };
}

/** Either a text with a colon in it, or a line below that is indented too far. */
function colonInText(source: Source, { pos }: YAMLError): Mend | undefined {
  const { text, start } = lineAt(source, pos[0]);
  const value = text.slice(pos[0] - start);
  if (/:(\s|$)/.test(value)) {
    const mended = `${text.slice(0, pos[0] - start)}${quoteText(value)}`;
    return { message: 'YAML takes the colon in this text for that of a key.', mended };
  }
  const next = start + text.length + 1;
  return next < source.text.length ? tooDeep(source, next, text) : undefined;
}

function tooDeep(source: Source, offset: number, above: string): Mend {
  const { text, start } = lineAt(source, offset);
  const at = start + indentOf(text);
  const mended = `${' '.repeat(indentOf(above))}${text.trim()}`;
  return {
    at,
    message: `This line is indented deeper than \`${above.trim()}\` above it, which has a value.`,
    mended,
  };
}

function badIndent(source: Source, offset: number): Mend | undefined {
  const { text, start } = lineAt(source, offset);
  const indent = indentOf(text);
  const above = source.text
    .slice(0, start)
    .split('\n')
    .slice(-200)
    .filter((line) => line.trim() !== '');
  // The lines that this one could stand beside: each is indented less than those below it.
  const columns = above.reduceRight<number[]>((found, line) => {
    const own = indentOf(line);
    return own < (found.at(-1) ?? Infinity) ? [...found, own] : found;
  }, []);
  // Between two, what holds others stands further out.
  const outward = /:\s*$/.test(text) ? 1 : -1;
  const nearest = columns.toSorted(
    (a, b) => Math.abs(a - indent) - Math.abs(b - indent) || outward * (a - b),
  )[0];
  if (nearest === undefined || nearest === indent) return undefined;
  const message = `This line is indented by ${indent} spaces, which fits no line above it.`;
  return { at: start + indent, message, mended: `${' '.repeat(nearest)}${text.trim()}` };
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** `@`, a backtick, `*` or `!` at the beginning of a text. */
function reservedCharacter(source: Source, { pos }: YAMLError): Mend {
  const { text, start } = lineAt(source, pos[0]);
  const [before, value] = [text.slice(0, pos[0] - start), text.slice(pos[0] - start)];
  const message = `YAML keeps \`${value.charAt(0)}\` at the beginning of a text for itself.`;
  return { message, mended: `${before}${quoteText(value)}` };
}

function badEscape(source: Source, { pos }: YAMLError): Mend | undefined {
  const scalar = scalarsOf(source).find(({ range }) => range![0] <= pos[0] && pos[0] < range![1]);
  if (scalar === undefined || scalar.type !== 'QUOTE_DOUBLE') return undefined;
  const raw = source.text.slice(scalar.range![0] + 1, scalar.range![1] - 1);
  const escape = source.text.slice(pos[0], pos[0] + 2);
  const message = `\`${escape}\` means nothing in a text with double quotes.`;
  if (raw.includes('\n')) return { message, remedy: 'Put the text in single quotes.' };
  const { text, start } = lineAt(source, pos[0]);
  const [from, to] = [scalar.range![0] - start, scalar.range![1] - start];
  return { message, mended: `${text.slice(0, from)}${quoteText(raw)}${text.slice(to)}` };
}

function duplicateKey(source: Source, { pos }: YAMLError): Mend | undefined {
  let mend: Mend | undefined;
  visit(source.document, {
    Map: (_, { items }) => {
      const keys = items.flatMap(({ key }) => (isScalar(key) && key.range != null ? [key] : []));
      const second = keys.find(({ range }) => range![0] === pos[0]);
      const first = keys.find(({ value }) => value === second?.value);
      if (second === undefined || first === undefined) return;
      const { line } = source.lines.linePos(first.range![0]);
      const message = `\`${String(second.value)}\` is there twice: first in line ${line}.`;
      mend = { message, remedy: 'Remove one of them, or give it another name.' };
    },
  });
  return mend;
}
