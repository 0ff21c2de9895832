import { cutTo } from '../output/index.ts';

const mostLines = 5;

/** The first few lines, each no wider than the terminal, and how many more there are. */
export function cutLines(text: string, columns: number): string[] {
  const lines = text.split('\n');
  const shown = lines.slice(0, mostLines).map((line) => cutTo(line.replaceAll('\t', '  '), columns));
  const more = lines.length - shown.length;
  return more === 0
    ? shown
    : [...shown, `… ${more} more ${more === 1 ? 'line' : 'lines'} (--full shows all)`];
}
