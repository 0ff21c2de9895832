import { isMark, tokenize, type Token } from './tokens.ts';

/** A changed text that remembers where its pieces came from. */
export interface Rewritten {
  readonly text: string;
  readonly edits: readonly Edit[];
}

/** Of the original text, the part from `start` to `end` gave way to `replacement`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/**
 * Makes hyphenated names readable to CEL, which would subtract: `tasks.build-api.output` becomes
 * `tasks["build-api"].output` if `build-api` is a known name. A minus between spaces stays a minus.
 */
export function joinNames(expression: string, names: ReadonlySet<string>): Rewritten {
  if (names.size === 0 || !expression.includes('-')) return { text: expression, edits: [] };
  const tokens = tokenize(expression);
  const edits = tokens.flatMap((token, index) => {
    const name = isMember(tokens, index) ? hyphenatedName(expression, token.start, names) : undefined;
    return name === undefined ? [] : [asIndex(tokens[index - 1]!, token.start + name.length, name)];
  });
  return applyEdits(expression, edits);
}

/** The name of a variable with hyphens as CEL can say it. As long as the original, so that columns stay right. */
export function asIdentifier(name: string): string {
  return name.replaceAll('-', '_');
}

/** Renames variables with hyphens (never members) in an expression; see `asIdentifier`. */
export function renameVariables(expression: string, names: ReadonlySet<string>): string {
  if (names.size === 0 || !expression.includes('-')) return expression;
  const tokens = tokenize(expression);
  const edits = tokens.flatMap((token, index) => {
    if (token.kind !== 'name' || isMark(tokens[index - 1], '.')) return [];
    const name = hyphenatedName(expression, token.start, names);
    if (name === undefined) return [];
    return [{ start: token.start, end: token.start + name.length, replacement: asIdentifier(name) }];
  });
  return applyEdits(expression, edits).text;
}

const hyphenated = /[A-Za-z_]\w*(?:-\w+)+/y;

/** The longest known name with hyphens that begins at `start`. */
export function hyphenatedName(text: string, start: number, names: ReadonlySet<string>): string | undefined {
  hyphenated.lastIndex = start;
  let name = hyphenated.exec(text)?.[0] ?? '';
  while (name.includes('-') && !names.has(name)) name = name.slice(0, name.lastIndexOf('-'));
  return name.includes('-') ? name : undefined;
}

export function isMember(tokens: readonly Token[], index: number): boolean {
  return tokens[index]?.kind === 'name' && isMark(tokens[index - 1], '.');
}

export function asIndex(dot: Token, end: number, name: string): Edit {
  return { start: dot.start, end, replacement: `[${JSON.stringify(name)}]` };
}

/** `edits` are in order and do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): Rewritten {
  let result = '';
  let done = 0;
  for (const { start, end, replacement } of edits) {
    result += text.slice(done, start) + replacement;
    done = end;
  }
  return { text: result + text.slice(done), edits };
}

/** Where in the original text an offset of the rewritten one is; for what was inserted, where it was inserted. */
export function originalOffset(edits: readonly Edit[], offset: number): number {
  let shift = 0;
  for (const { start, end, replacement } of edits) {
    const from = start + shift;
    if (offset < from) break;
    if (offset < from + replacement.length) return start;
    shift += replacement.length - (end - start);
  }
  return offset - shift;
}
