import { lstatSync } from 'node:fs';
import { hasCode, readBounded } from '../../../base/index.ts';

/** Where both sides of a conflict stand in a file. */
export interface Marks {
  readonly count: number;
  /** What the file itself calls the sides. */
  readonly ours: string;
  readonly theirs: string;
}

/** Undefined if there are none, or no such file. What a task has put in its place, a pipe or a link to elsewhere, has none. */
export function marksIn(path: string): Marks | undefined {
  const text = readText(path);
  const blocks = [...text.matchAll(/^<{7,} (.+)$(?:(?!^<{7,} )[^])*?^>{7,} (.+)$/gm)];
  const [first] = blocks;
  if (first === undefined) return undefined;
  return { count: blocks.length, ours: first[1]!.trim(), theirs: first[2]!.trim() };
}

function readText(path: string): string {
  try {
    return lstatSync(path).isFile() ? readBounded(path).toString('utf8') : '';
  } catch (error) {
    if (['ENOENT', 'EISDIR', 'ENOTDIR', 'EACCES', 'ELOOP'].some((code) => hasCode(error, code))) return '';
    throw error;
  }
}
