const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time span as people write it (`250ms`, `30s`, `1h30m`), or milliseconds as a number; undefined if it is neither. */
export function parseDuration(given: string | number): number | undefined {
  if (typeof given === 'number') return Number.isFinite(given) && given >= 0 ? given : undefined;
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(given)) return undefined;
  let total = 0;
  for (const [, amount, , unit] of given.matchAll(/(\d+(\.\d+)?)(ms|s|m|h|d)/g)) {
    total += Number(amount) * unitMs[unit!]!;
  }
  return total;
}

/** A time span in a file. There a number is none, but 0: whether seconds or minutes were meant, nobody can know. */
export function writtenDuration(given: unknown): number | undefined {
  return given === 0 ? 0 : typeof given === 'string' ? parseDuration(given) : undefined;
}

export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}ms`;
  if (ms < 60_000) return `${Number((ms / 1_000).toFixed(1))}s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return both(seconds, 'm', 's');
  return both(Math.round(seconds / 60), 'h', 'm');
}

function both(amount: number, large: string, small: string): string {
  const rest = amount % 60;
  return `${Math.floor(amount / 60)}${large}${rest === 0 ? '' : `${rest}${small}`}`;
}
