import { countText, moneyText } from '../../../base/index.ts';
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
