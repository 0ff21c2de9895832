import type { Durability } from './settings.ts';

/** One line of the result. */
export interface Row {
  readonly load: string;
  readonly durability: Durability | 'none';
  readonly unit: string;
  readonly ours: number;
  /** What the same costs without Piton: the bytes straight to or from SQLite, bare Node, git by hand. */
  readonly floor?: number;
  /** Ours and the floor, one divided by the other. */
  readonly ratio?: number;
  readonly target?: Target;
}

export interface Target {
  readonly text: string;
  readonly met: boolean;
  /** Milliseconds depend on the machine: only a ratio that is missed fails the benchmark. */
  readonly isAbsolute?: boolean;
}

export function atLeast(value: number, limit: number, what: string): Target {
  return { text: `${what} ≥ ${limit}`, met: value >= limit };
}

export function atMost(value: number, limit: number, what: string): Target {
  return { text: `${what} ≤ ${limit}`, met: value <= limit };
}

export function atMostMs(value: number, limit: number): Target {
  return { text: `ms ≤ ${limit}`, met: value <= limit, isAbsolute: true };
}

/** What to say of the rows that miss their target, and whether the benchmark has failed by it. */
export function verdictOf(rows: readonly Row[]): { readonly text: string; readonly hasFailed: boolean } {
  const missed = rows.filter(({ target }) => target?.met === false);
  const lines = missed.map(({ load, durability, ours, ratio, target }) => {
    const value = target!.isAbsolute ? ours : (ratio ?? ours);
    const note = target!.isAbsolute ? '; depends on the machine, and does not fail the benchmark' : '';
    return `  ${load} (${durability}): ${figure(value)} (target: ${target!.text}${note})`;
  });
  const hasTargets = rows.some(({ target }) => target !== undefined);
  const none = hasTargets ? 'Every target is met.' : 'These loads have no targets.';
  return {
    text: missed.length === 0 ? none : ['Missed:', ...lines].join('\n'),
    hasFailed: missed.some(({ target }) => !target!.isAbsolute),
  };
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
