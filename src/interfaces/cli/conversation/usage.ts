import type { Usage } from '../../../library/index.ts';

/** `12.3k in (8k cached), 450 out, $0.0123`. What has no price is said to have none. */
export function usageText({ input, output, cachedInput, costUsd, unpricedTokens }: Usage): string {
  const cached = cachedInput > 0 ? ` (${countText(cachedInput)} cached)` : '';
  const priced = costUsd === undefined ? [] : [moneyText(costUsd)];
  const rest = costUsd === undefined ? 'unpriced' : `${countText(unpricedTokens)} tokens unpriced`;
  return [
    `${countText(input)} tokens in${cached}`,
    `${countText(output)} out`,
    ...priced,
    ...(unpricedTokens > 0 ? [rest] : []),
  ].join(', ');
}

export function countText(count: number): string {
  if (count < 1_000) return String(count);
  const [size, unit] = count < 999_950 ? [1_000, 'k'] : [1_000_000, 'M'];
  return `${Number((count / size).toFixed(1))}${unit}`;
}

/** Small sums to the hundredth of a cent. */
export function moneyText(usd: number): string {
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}
