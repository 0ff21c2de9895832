import type { Scalar } from 'yaml';
import type { Path } from '../problems.ts';

export const cutRemedy =
  'YAML takes ` #` for the beginning of a comment and cuts the text there: put all of it in quotes.';

/**
 * Whether YAML took the rest of a text for a comment, though it does not look like one. Comments have a space after
 * their `#`: in `with: fix issue #42` the text was meant to go on.
 */
export function isCut(text: string, scalar: Scalar): boolean {
  return commentAfter(text, scalar) && !/^[ \t]+#+(\s|$)/.test(text.slice(scalar.range![1]));
}

/** Whether a comment stands behind a text without quotes, on the same line. */
export function commentAfter(text: string, { type, range }: Scalar): boolean {
  return type === 'PLAIN' && range != null && /^[ \t]+#/.test(text.slice(range[1]));
}

/** By the key of a task, or of the file itself: the keys further in that hold text. Empty: all of them do. */
const textPlaces: Readonly<Record<string, readonly string[]>> = {
  with: [],
  if: [],
  update: [],
  run: [],
  prompt: [],
  check: [],
  setup: [],
  env: [],
  approval: [],
  ask: [],
  'working-directory': [],
  outputs: [],
  deliver: [],
  state: [],
  description: [],
  'for-each': ['in', 'matrix', 'key'],
  inputs: ['default', 'description'],
  next: ['if'],
};

/** Where people write sentences and expressions. Elsewhere are names and words, which no `#` can be a part of. */
export function isTextPlace(at: Path): boolean {
  let depth = 0;
  while (at[depth] === 'tasks' || at[depth] === 'graph') depth += 2;
  const [key, ...rest] = at.slice(depth);
  const ways = Object.hasOwn(textPlaces, String(key)) ? textPlaces[String(key)]! : undefined;
  if (ways === undefined) return false;
  // An input and an edge stand one step deeper, under their name or number.
  const step = key === 'for-each' ? (typeof rest[0] === 'string' ? rest[0] : 'in') : rest[1];
  return ways.length === 0 || ways.includes(String(step));
}
