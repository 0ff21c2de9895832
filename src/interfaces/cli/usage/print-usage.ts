import { countText, moneyText } from '../../../base/index.ts';
import type { Budget } from '../../../model/index.ts';
import type { DayUsage } from '../../../library/index.ts';
import type { Context } from '../context.ts';
import { budgetText } from '../../../project/index.ts';
import { cleanLine, dayText } from '../output/index.ts';
import { totalOf, totalsByAgent, type Total } from './totals.ts';

/** A line per day and agent, then the sums. */
export function printUsage({ output, config, now }: Context, usage: readonly DayUsage[]): void {
  output.table(
    [
      ...usage.map((part, index) => [
        part.day === usage[index - 1]?.day ? '' : part.day,
        cleanLine(part.agent),
        ...cellsOf(part),
        part.runs === 1 ? '1 run' : `${part.runs} runs`,
      ]),
      ...sumsByAgent(usage),
      [{ text: 'total', paint: output.style.bold }, '', ...cellsOf(totalOf(usage))],
    ],
    { head: ['day', 'agent', 'tokens', 'dollars', 'unpriced', 'in'] },
  );
  output.print();
  const today = totalOf(usage.filter(({ day }) => day === dayText(now())));
  if (config.budgetPerDay !== undefined) output.print(todayText(today, config.budgetPerDay));
  output.next('piton list', 'piton status <run> shows what its tasks have used');
}

/** Where they say more than the lines above: of several agents on several days. */
export function sumsByAgent(usage: readonly DayUsage[]): readonly string[][] {
  const byAgent = Object.entries(totalsByAgent(usage));
  const isOneDay = usage.every(({ day }) => day === usage[0]!.day);
  if (isOneDay || byAgent.length === 1) return [];
  return byAgent.map(([agent, total], index) => [
    index === 0 ? 'all days' : '',
    cleanLine(agent),
    ...cellsOf(total),
  ]);
}

function cellsOf({ usd, tokens, unpricedTokens }: Total): string[] {
  const isPriced = unpricedTokens < tokens || tokens === 0;
  return [
    countText(tokens),
    isPriced || usd > 0 ? moneyText(usd) : '',
    unpricedTokens > 0 ? `${countText(unpricedTokens)} tokens` : '',
  ];
}

function todayText({ usd, tokens }: Total, budget: Budget): string {
  return `today: ${moneyText(usd)} and ${countText(tokens)} tokens, of ${budgetText(budget)} that a day may cost`;
}
