import { applyEdits, asIndex, isMember, joinNames, originalOffset, type Edit } from './rewrite.ts';
import { isMark, tokenize, type Token } from './tokens.ts';

/** An expression as the CEL library is to read it, and the way back to what was written. */
export interface CelSource {
  readonly original: string;
  readonly text: string;
  /** Where in the original an offset of `text` is. */
  locate(offset: number): number;
}

/** The name under which CEL knows our `has`; its own cannot be replaced. */
export const presence = 'has_';
/** And our `matches`, which takes no longer than the text is long. */
export const matching = 'matches_';

/** Also the operator `in`, which CEL does not take for a name after a dot. */
const keywords: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null']);

/**
 * Our dialect of CEL as the library understands it. It differs in six things:
 * - known names with hyphens are names: `tasks.build-api` is not a subtraction;
 * - `has()` takes any path, also with indexes, and is false as soon as a part of it is missing or null;
 * - `/` divides exactly: `7 / 2` is 3.5. CEL would give 3 or 3.5, depending on whether the numbers came from JSON;
 * - the two sides of `?:` may be of different kinds, as whole numbers and decimals are to CEL;
 * - fields may be called like a keyword: `output.in`;
 * - `matches()` takes the patterns of RE2, as CEL has it; the library would take those of JavaScript.
 */
export function toCelSource(expression: string, names: ReadonlySet<string>): CelSource {
  const joined = joinNames(expression, names);
  const tokens = tokenize(joined.text);
  const edits = tokens.flatMap((token, index) => editsFor(tokens, token, index));
  const adapted = applyEdits(
    joined.text,
    edits.sort((a, b) => a.start - b.start),
  );
  return {
    original: expression,
    text: adapted.text,
    locate: (offset) => originalOffset(joined.edits, originalOffset(adapted.edits, offset)),
  };
}

function editsFor(tokens: readonly Token[], token: Token, index: number): Edit[] {
  const { start, end, text } = token;
  // Multiplication binds like division and from the left, so the factor makes a double of whatever is divided.
  if (isMark(token, '/')) return [{ start, end, replacement: '* 1.0 /' }];
  if (isMark(token, '?')) return loosenChoice(tokens, index);
  const isCalled = isMark(tokens[index + 1], '(');
  if (isMember(tokens, index)) {
    if (text === 'matches' && isCalled) return [{ start, end, replacement: matching }];
    return keywords.has(text) ? [asIndex(tokens[index - 1]!, end, text)] : [];
  }
  const isHas = token.kind === 'name' && text === 'has' && isCalled;
  return isHas ? [{ start, end, replacement: presence }] : [];
}

/** `dyn()` around the first side lets the second be of any kind. */
function loosenChoice(tokens: readonly Token[], question: number): Edit[] {
  const colon = tokens[matchingColon(tokens, question)];
  if (colon === undefined) return [];
  const begin = tokens[question]!.end;
  return [
    { start: begin, end: begin, replacement: 'dyn(' },
    { start: colon.start, end: colon.start, replacement: ')' },
  ];
}

/** Brackets and nested choices between are skipped: each `?` has a colon of its own. */
function matchingColon(tokens: readonly Token[], question: number): number {
  const open: string[] = [];
  return tokens.findIndex(({ kind, text }, index) => {
    if (index <= question || kind !== 'mark') return false;
    if (text === ':' && open.length === 0) return true;
    if ('([{?'.includes(text)) open.push(text);
    else if (')]}'.includes(text) || (text === ':' && open.at(-1) === '?')) open.pop();
    return false;
  });
}

/** For checking types, where there is one kind of number: decimals become whole numbers of the same length. */
export function withoutDecimals(source: string): string {
  const decimals = tokenize(source).filter(
    ({ kind, text }) => kind === 'number' && /^\d+(\.|[eE])/.test(text),
  );
  const edits = decimals.map(({ start, end }) => ({ start, end, replacement: '0'.repeat(end - start) }));
  return applyEdits(source, edits).text;
}
