import { addUsed, nothingUsed, spentOn, type RunState } from '../kernel/index.ts';
import type { Used } from '../model/index.ts';
import { dayOf } from './calendar.ts';
import type { EnginePorts } from './options.ts';

/** What agents have used today in all other runs of the store; asked only where a budget of the day is to be kept. */
export async function usedElsewhere(
  { store, clock, budgetPerDay }: EnginePorts,
  { run, workflow }: RunState,
): Promise<Used> {
  if (budgetPerDay === undefined && workflow.budget?.perDay === undefined) return nothingUsed;
  const day = dayOf(clock.now());
  const records = await store.listRuns({ spentOn: day });
  return records
    .filter((record) => record.run !== run)
    .map(({ spent = {} }) => spentOn({ spent }, day))
    .reduce(addUsed, nothingUsed);
}
