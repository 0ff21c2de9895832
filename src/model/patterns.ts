import { RE2JS } from 're2js';
import { asError } from '../base/index.ts';

/** Longer than anybody writes one; texts that somebody else wrote can be patterns too. */
const longestPattern = 10_000;
const mostKept = 500;
const kept = new Map<string, RE2JS>();

/**
 * Whether a text contains what a pattern describes, in time that grows with the text and not with the ways to read it: Node's own
 * engine takes years for `(a+)+$`, and hears no signal meanwhile. Throws an Error where it is no pattern.
 */
export function matchesPattern(text: string, pattern: string, flags = ''): boolean {
  return compiled(pattern, flags).test(text);
}

/** Where in a text; what matches nothing at all is no place. */
export interface PatternPlace {
  readonly start: number;
  readonly end: number;
}

/** All places that a pattern describes, as offsets, in the same time. */
export function placesOfPattern(text: string, pattern: string, flags = ''): PatternPlace[] {
  const matcher = compiled(pattern, flags).matcher(text);
  const places: PatternPlace[] = [];
  while (matcher.find()) {
    if (matcher.end() > matcher.start()) places.push({ start: matcher.start(), end: matcher.end() });
  }
  return places;
}

/** What is wrong with a pattern; undefined if nothing is. */
export function faultOfPattern(pattern: string): string | undefined {
  try {
    compiled(pattern, '');
    return undefined;
  } catch (error) {
    return asError(error).message;
  }
}

function compiled(pattern: string, flags: string): RE2JS {
  const key = `${flags}/${pattern}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  if (pattern.length > longestPattern)
    throw new Error(`a pattern has at most ${longestPattern} characters, and this has ${pattern.length}`);
  const made = compile(pattern, flags);
  if (kept.size >= mostKept) kept.clear();
  kept.set(key, made);
  return made;
}

const flagsOf: Readonly<Record<string, number>> = {
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL,
};

function compile(pattern: string, flags: string): RE2JS {
  const bits = [...flags].reduce((sum, flag) => sum | (flagsOf[flag] ?? 0), 0);
  try {
    // What JavaScript writes in another way, such as \u2713, is the same pattern.
    return RE2JS.compile(RE2JS.translateRegExp(pattern), bits);
  } catch (cause) {
    const [, why = asError(cause).message] =
      /^error parsing regexp: (.*)$/s.exec(asError(cause).message) ?? [];
    throw new Error(why, { cause });
  }
}
