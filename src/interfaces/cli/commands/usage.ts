import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { Damages } from '../damages.ts';
import { dayText } from '../output/index.ts';
import { readNumber } from '../read-number.ts';
import { printUsage } from '../usage/print-usage.ts';
import { totalOf, totalsByAgent } from '../usage/totals.ts';

interface Options {
  readonly days: string;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    command.option('--days <number>', 'of so many days, today included', '30').option('--json', 'print JSON'),
  examples: [
    ['piton usage', 'tokens and dollars by day and agent'],
    ['piton usage --days 1', 'of today'],
    ['piton usage --days 365 --json', 'for programs'],
  ],
  async run(context, { options }) {
    const { output } = context;
    const days = readNumber('--days', options.days, 1);
    const damages = new Damages();
    const onDamaged = damages.add;
    const piton = await context.openIfAny();
    const known = (await piton?.usage({ onDamaged })) ?? [];
    const since = firstDay(context.now(), days);
    const usage = known.filter(({ day }) => day >= since);
    output.json({ since, days: usage, agents: totalsByAgent(usage), total: totalOf(usage) });
    if (usage.length === 0) printNone(context, days);
    else printUsage(context, usage);
    return damages.report(output);
  },
});

/** By the calendar: a day may have 23 or 25 hours. */
function firstDay(now: number, days: number): string {
  const date = new Date(now);
  date.setHours(12, 0, 0, 0);
  date.setDate(date.getDate() - (days - 1));
  return dayText(date.getTime());
}

function printNone({ output }: Context, days: number): void {
  output.print(`No agent has used anything in the last ${days === 1 ? 'day' : `${days} days`}.`);
  output.next('piton list');
}
