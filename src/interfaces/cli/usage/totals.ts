import type { DayUsage } from '../../../library/index.ts';

/** Dollars as far as they were told; tokens that nobody priced are also counted by themselves. */
export type Total = Pick<DayUsage, 'usd' | 'tokens' | 'unpricedTokens'>;

export function totalOf(usage: readonly DayUsage[]): Total {
  return usage.reduce<Total>(
    (sum, { usd, tokens, unpricedTokens }) => ({
      usd: sum.usd + usd,
      tokens: sum.tokens + tokens,
      unpricedTokens: sum.unpricedTokens + unpricedTokens,
    }),
    { usd: 0, tokens: 0, unpricedTokens: 0 },
  );
}

export function totalsByAgent(usage: readonly DayUsage[]): Readonly<Record<string, Total>> {
  const byAgent = [...Map.groupBy(usage, ({ agent }) => agent)];
  return Object.fromEntries(byAgent.map(([agent, parts]) => [agent, totalOf(parts)]));
}
