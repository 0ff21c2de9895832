import { cleanLine } from '../output/index.ts';

const mostNamed = 10;

/** How many files, and the first of them. */
export function filesText(files: readonly string[]): string {
  if (files.length === 0) return 'No file is changed by it.';
  const shown = files.slice(0, mostNamed).map(cleanLine).join(', ');
  const more = files.length > mostNamed ? '…' : '';
  return `${files.length === 1 ? '1 file' : `${files.length} files`}: ${shown}${more}`;
}
