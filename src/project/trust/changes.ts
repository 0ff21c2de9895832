import type { CoveredFiles } from './covered-files.ts';

/** One file that is not as it was trusted. */
export interface Change {
  readonly file: string;
  /** Lines with `+` or `-` before them, and what stands around them. */
  readonly lines: readonly string[];
}

/** Before: what was trusted; nothing where nothing was. */
export function changesIn(before: Readonly<Record<string, string>>, now: CoveredFiles): Change[] {
  const files = [...new Set([...now.keys(), ...Object.keys(before)])];
  return files
    .map((file) => ({
      file,
      was: Object.hasOwn(before, file) ? before[file]! : undefined,
      is: now.get(file),
    }))
    .filter(({ was, is }) => was !== is)
    .map(({ file, was, is }) => ({ file, lines: differenceOf(linesOf(was), linesOf(is)) }));
}

function linesOf(text: string | undefined): string[] {
  return text === undefined ? [] : text.replace(/\n$/, '').split('\n');
}

const around = 2;

function marked(lines: readonly string[], mark: string): string[] {
  return lines.map((line) => `${mark} ${line}`);
}

/** From the first line that differs to the last: never less than what has changed, however it was moved. */
function differenceOf(was: readonly string[], is: readonly string[]): string[] {
  const shorter = Math.min(was.length, is.length);
  let start = 0;
  while (start < shorter && was[start] === is[start]) start++;
  let end = 0;
  while (end < shorter - start && was.at(-1 - end) === is.at(-1 - end)) end++;
  return [
    ...marked(is.slice(Math.max(0, start - around), start), ' '),
    ...marked(was.slice(start, was.length - end), '-'),
    ...marked(is.slice(start, is.length - end), '+'),
    ...marked(is.slice(is.length - end, is.length - end + around), ' '),
  ];
}
