import { cutTo, padTo, widthOf } from './text.ts';

/** A cell is painted after it was cut and padded: escape sequences have no width. */
export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

export interface TableOptions {
  readonly columns: number;
  readonly head?: readonly string[];
  readonly paintHead?: (text: string) => string;
  /** The column that gives way when the terminal is narrow; default the last. */
  readonly flexible?: number;
}

const gap = 2;
const narrowest = 8;

/** Lines of a table, as wide as their content needs and the terminal allows. */
export function tableLines(rows: readonly (readonly (Cell | string)[])[], options: TableOptions): string[] {
  const { head, paintHead = (text: string) => text } = options;
  const all = [
    ...(head === undefined ? [] : [head.map((text): Cell => ({ text, paint: paintHead }))]),
    ...rows.map((row) => row.map((cell) => (typeof cell === 'string' ? { text: cell } : cell))),
  ];
  const widths = widthsOf(all, options);
  return all.map((row) => lineOf(row, widths));
}

function widthsOf(rows: readonly (readonly Cell[])[], { columns, flexible }: TableOptions): number[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, index) =>
    Math.max(0, ...rows.map((row) => widthOf(row[index]?.text ?? ''))),
  );
  const excess = widths.reduce((sum, width) => sum + (width === 0 ? 0 : width + gap), -gap) - columns;
  const giving = flexible ?? count - 1;
  if (excess > 0) widths[giving] = Math.max(narrowest, widths[giving]! - excess);
  return widths;
}

function lineOf(row: readonly Cell[], widths: readonly number[]): string {
  const last = row.findLastIndex(({ text }) => text !== '');
  return row
    .slice(0, last + 1)
    .map(({ text, paint = (plain: string) => plain }, index) => {
      // A column in which nothing stands takes no room.
      if (widths[index] === 0) return '';
      const cut = cutTo(text, widths[index]!);
      const padding = index === last ? '' : padTo('', widths[index]! - widthOf(cut) + gap);
      return paint(cut) + padding;
    })
    .join('');
}
