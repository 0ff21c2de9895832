/** `1 task`, `2 tasks`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
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
