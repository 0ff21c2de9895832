import { posix } from 'node:path';
import type { Patterns } from '../../model/index.ts';

/**
 * Whether a file may be written, by patterns from a folder of the repository. A pattern without wildcards is a file, or a folder
 * with all that is in it; `*` and `?` stay within a folder, `**` does not; `{a,b}` and `[abc]` are as everywhere.
 */
export function mayWrite(
  patterns: readonly string[],
  folder: string,
  matches: Matches,
): (path: string) => boolean {
  const bare = patterns.map((pattern) => pattern.replace(/^(\.\/)+/, '').replace(/\/+$/, ''));
  const matchers = bare.map((pattern) => matcherOf(pattern, matches));
  return (path) => {
    const way = posix.relative(folder, path);
    return matchers.some((isMatch) => isMatch(way));
  };
}

/** An engine that takes linear time: names of files are chosen by agents, and a dozen `*` would keep another busy for years. */
type Matches = Patterns['matchesPattern'];

function matcherOf(pattern: string, matches: Matches): (way: string) => boolean {
  if (pattern === '' || pattern === '.') return (way) => !way.startsWith('../');
  if (!/[*?[{]/.test(pattern)) return (way) => way === pattern || way.startsWith(`${pattern}/`);
  const expression = `^(?:${expressionOf(pattern)})$`;
  return (way) => {
    try {
      return matches(way, expression, 's');
    } catch {
      // A range such as `[z-a]`, which matches nothing.
      return way === pattern;
    }
  };
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
  return `\\x${sign.codePointAt(0)!.toString(16)}`;
}

const wildcards: Readonly<Record<string, string>> = {
  '**/': '(?:.*/)?',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
};

function classOf(part: string): string {
  const isNegated = /^\[[!^]/.test(part);
  const members = part.slice(isNegated ? 2 : 1, -1).replaceAll(/[\\[\]^]/g, String.raw`\$&`);
  return isNegated ? `[^/${members}]` : `[${members.replaceAll(aroundSlash, '$1-.0-$2')}]`;
}

/** A range that reaches over `/`, the sign between folders: it comes after `.` and before `0`. */
const aroundSlash = /([^/-\u{10ffff}])-([0-\u{10ffff}])/gu;

function isBalanced(pattern: string): boolean {
  let depth = 0;
  for (const sign of pattern.match(/[{}]/g) ?? []) {
    depth += sign === '{' ? 1 : -1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
