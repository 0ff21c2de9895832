import { posix } from 'node:path';
import { RE2JS } from 're2js';

/**
 * Whether a file may be written, by patterns from a folder of the repository. A pattern without wildcards is a file, or a folder
 * with all that is in it; `*` and `?` stay within a folder, `**` does not; `{a,b}` and `[abc]` are as everywhere.
 */
export function mayWrite(patterns: readonly string[], folder: string): (path: string) => boolean {
  const matchers = patterns.map((pattern) => matcherOf(pattern.replace(/^(\.\/)+/, '').replace(/\/+$/, '')));
  return (path) => {
    const way = posix.relative(folder, path);
    return matchers.some((matches) => matches(way));
  };
}

function matcherOf(pattern: string): (way: string) => boolean {
  if (pattern === '' || pattern === '.') return (way) => !way.startsWith('../');
  if (!/[*?[{]/.test(pattern)) return (way) => way === pattern || way.startsWith(`${pattern}/`);
  const expression = readExpression(`^(?:${expressionOf(pattern)})$`);
  return (way) => expression?.test(way.replaceAll('/', between)) ?? way === pattern;
}

/** In the place of a slash, which sets of characters must not mean: no path has it. */
const between = '\0';

/**
 * Undefined: a range such as `[z-a]`, which matches nothing. In time that grows with the path: agents make paths, and for Node's own
 * engine one of a thousand folders is too much for two `**`.
 */
function readExpression(text: string): RE2JS | undefined {
  try {
    return RE2JS.compile(text, RE2JS.DOTALL);
  } catch {
    return undefined;
  }
}

const parts = /\*\*\/|\*\*|\*|\?|\[[!^]?\]?[^\]/]*\]|[{},]|[^*?[{},]+|\[/gu;

/** A brace or bracket that is not closed stands for itself. */
function expressionOf(pattern: string): string {
  let depth = 0;
  const isBraced = isBalanced(pattern);
  return pattern.replaceAll(parts, (part) => {
    if (Object.hasOwn(wildcards, part)) return wildcards[part]!;
    if (part.length > 2 && part.startsWith('[')) return classOf(part);
    if (!isBraced || !/^[{},]$/.test(part)) return part.replaceAll(/[\\^$.*+?()[\]{}|/-]/gu, escaped);
    if (part === ',') return depth > 0 ? '|' : ',';
    depth += part === '{' ? 1 : -1;
    return part === '{' ? '(?:' : ')';
  });
}

function escaped(sign: string): string {
  return sign === '/' ? String.raw`\x00` : `\\x${sign.codePointAt(0)!.toString(16)}`;
}

const wildcards: Readonly<Record<string, string>> = {
  '**/': String.raw`(?:.*\x00)?`,
  '**': '.*',
  '*': String.raw`[^\x00]*`,
  '?': String.raw`[^\x00]`,
};

function classOf(part: string): string {
  const isNegated = /^\[[!^]/.test(part);
  const members = part.slice(isNegated ? 2 : 1, -1).replaceAll(/[\\[\]^]/g, String.raw`\$&`);
  return isNegated ? String.raw`[^\x00${members}]` : `[${members}]`;
}

function isBalanced(pattern: string): boolean {
  let depth = 0;
  for (const sign of pattern.match(/[{}]/g) ?? []) {
    depth += sign === '{' ? 1 : -1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
