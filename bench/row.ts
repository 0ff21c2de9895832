import type { Durability } from './settings.ts';

/** One line of the result. */
export interface Row {
  readonly load: string;
  readonly durability: Durability | 'none';
  readonly unit: string;
  readonly ours: number;
  /** The same bytes, straight to or from SQLite. */
  readonly floor?: number;
  /** What the target is about. */
  readonly ratio?: number;
  readonly target?: Target;
}

export interface Target {
  readonly text: string;
  readonly met: boolean;
}

export function atLeast(value: number, limit: number, what: string): Target {
  return { text: `${what} ≥ ${limit}`, met: value >= limit };
}

export function atMost(value: number, limit: number, what: string): Target {
  return { text: `${what} ≤ ${limit}`, met: value <= limit };
}

const titles = ['load', 'durability', 'unit', 'ours', 'floor', 'ratio', 'target', 'met'];

export function tableOf(rows: readonly Row[]): string {
  return formatTable([titles, ...rows.map(cellsOf)]);
}

function cellsOf({ load, durability, unit, ours, floor, ratio, target }: Row): string[] {
  const met = target === undefined ? '' : target.met ? 'yes' : 'NO';
  return [load, durability, unit, figure(ours), figure(floor), figure(ratio), target?.text ?? '', met];
}

/** Three digits are more than a shared machine can tell apart. */
export function figure(value: number | undefined): string {
  if (value === undefined) return '';
  return value >= 100
    ? Math.round(value).toLocaleString('en')
    : value.toLocaleString('en', { maximumSignificantDigits: 3 });
}

export function formatTable([head, ...rows]: readonly (readonly string[])[]): string {
  const widths = head!.map((_, column) => Math.max(...[head!, ...rows].map((row) => row[column]!.length)));
  const isNumber = head!.map((_, column) => rows.every((row) => /^[\d.,]*$/.test(row[column]!)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        isNumber[column] ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
      )
      .join('  ')
      .trimEnd();
  return [line(head!), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}
