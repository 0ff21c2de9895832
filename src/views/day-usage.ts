import { addUsed, nothingUsed, tokensOf } from '../kernel/index.ts';
import type { Spent, Used } from '../model/index.ts';

/** What one agent has used on one day of the local calendar, in all runs of the store. */
export interface DayUsage {
  /** `2026-11-15` */
  readonly day: string;
  readonly agent: string;
  readonly usd: number;
  readonly tokens: number;
  /** Tokens of which nobody said what they cost. */
  readonly unpricedTokens: number;
  readonly runs: number;
}

/** Newest day first. */
export function usageByDay(records: readonly { readonly spent?: Spent }[]): readonly DayUsage[] {
  const all = records.flatMap(({ spent = {} }) =>
    Object.entries(spent).flatMap(([day, agents]) =>
      Object.entries(agents).map(([agent, used]) => ({ day, agent, used })),
    ),
  );
  const groups = Map.groupBy(all, ({ day, agent }) => `${day} ${agent}`);
  const days = Array.from(groups.values(), (entries) => sumOf(entries));
  return days.toSorted((a, b) => b.day.localeCompare(a.day) || a.agent.localeCompare(b.agent));
}

function sumOf(entries: readonly { day: string; agent: string; used: Used }[]): DayUsage {
  const { day, agent } = entries[0]!;
  const used = entries.map((entry) => entry.used).reduce(addUsed, nothingUsed);
  const { usd, unpricedTokens } = used;
  return { day, agent, usd, tokens: tokensOf(used), unpricedTokens, runs: entries.length };
}
