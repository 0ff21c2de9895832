/** `1 task`, `2 tasks`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The first of them, at most `most`, and how many others there are: `a, b, c and 3 more`. */
export function someNames(names: readonly string[], most = 5): string {
  const more = names.length - most;
  const shown = names.slice(0, most).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** `950`, `12.3k`, `5M`. */
export function countText(count: number): string {
  if (count < 1_000) return String(count);
  const [size, unit] = count < 999_950 ? [1_000, 'k'] : [1_000_000, 'M'];
  return `${Number((count / size).toFixed(1))}${unit}`;
}

/** Small sums to the hundredth of a cent. */
export function moneyText(usd: number): string {
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}

const unitBytes: Readonly<Record<string, number>> = { kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 };

/** A size as people write it (`500MB`, `1.5 GB`), in bytes; undefined if it is none. */
export function parseSize(given: unknown): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?) ?([kmgt]b)$/i.exec(typeof given === 'string' ? given : '') ?? [];
  return amount === undefined ? undefined : Math.round(Number(amount) * unitBytes[unit!.toLowerCase()]!);
}
