/**
 * Just enough of CEL's lexical grammar to look at expressions without loading CEL: names, literals and marks, with
 * their places. Never fails: what CEL itself will refuse comes out as marks, or as a text that runs to its end.
 */
export interface Token {
  readonly kind: 'name' | 'number' | 'text' | 'mark';
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** In the order of the kinds; what is none of them (space, comments) matches without a group. */
const pattern = new RegExp(
  [
    String.raw`\s+|//[^\n]*`,
    String.raw`((?![bBrR]["'])[A-Za-z_]\w*)`,
    String.raw`(0[xX][0-9a-fA-F]+[uU]?|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?[uU]?)`,
    String.raw`([bBrR]?(?:"""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''|"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?))`,
    String.raw`([^])`,
  ].join('|'),
  'uy',
);
const kinds = ['name', 'number', 'text', 'mark'] as const;

export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  for (let token = nextToken(source, 0); token !== undefined; token = nextToken(source, token.end)) {
    tokens.push(token);
  }
  return tokens;
}

/** The first token that begins at `from` or later. */
export function nextToken(source: string, from: number): Token | undefined {
  let start = from;
  while (start < source.length) {
    pattern.lastIndex = start;
    const match = pattern.exec(source)!;
    const end = pattern.lastIndex;
    const kind = kinds.find((_, index) => match[index + 1] !== undefined);
    if (kind !== undefined) return { kind, text: match[0], start, end };
    start = end;
  }
  return undefined;
}

export function isMark(token: Token | undefined, text: string): boolean {
  return token?.kind === 'mark' && token.text === text;
}

/** The text a text literal stands for, if it is a plain one. */
export function literalText(token: Token | undefined): string | undefined {
  const match = token?.kind === 'text' ? /^(["'])((?:(?!\1)[^\\])*)\1$/.exec(token.text) : null;
  return match?.[2];
}
