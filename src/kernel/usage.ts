import type { Budget, EventOf, Used } from '../model/index.ts';
import type { RunState, TaskState } from './run-state.ts';
import { addUsed, nothingUsed, tokensOf, UsageMeter } from './usage-meter.ts';
import type { World } from './world.ts';

/** Fold of `session.opened`. */
export function openAccount(state: RunState, { life }: TaskState, session: string): void {
  const agent = life.status === 'running' ? life.attempt?.agent : undefined;
  if (agent?.how === 'fork') new UsageMeter(state.metered).copy(agent.of, session);
}

/** Fold of `transcript.added`: what an agent says it has used. */
export function countUsage(
  state: RunState,
  task: TaskState,
  { entries, day }: EventOf<'transcript.added'>['data'],
): void {
  const used = new UsageMeter(state.metered).read(task.session?.id, entries);
  if (used === undefined) return;
  state.usage = addUsed(state.usage, used);
  task.usage = addUsed(task.usage ?? nothingUsed, used);
  const { life } = task;
  const agent = life.status === 'running' ? life.attempt?.agent?.name : undefined;
  if (day !== undefined && agent !== undefined) spend(state, { day, agent, used });
}

function spend(
  { spent }: RunState,
  { day, agent, used }: { readonly day: string; readonly agent: string; readonly used: Used },
): void {
  const ofDay = (spent[day] ??= {});
  ofDay[agent] = addUsed(ofDay[agent] ?? nothingUsed, used);
}

/** Why an agent must not be asked again, if its budget or that of the run is used up, and nobody has said otherwise. */
export function overBudget(
  state: RunState,
  { spec, usage = nothingUsed, overspends }: TaskState,
): string | undefined {
  if (spec.work.type !== 'agent' || overspends === true) return undefined;
  return (
    exceeded('the task', spec.work.budget, usage) ?? exceeded('the run', state.workflow.budget, state.usage)
  );
}

/** The same of the day, on which other runs use up something too: it ends by itself. */
export function overDay(
  state: RunState,
  { spec, overspends }: TaskState,
  { today, budgetPerDay }: World,
): { readonly until: number; readonly reason: string; readonly budget: true } | undefined {
  if (spec.work.type !== 'agent' || overspends === true) return undefined;
  const used = addUsed(today.elsewhere, spentOn(state, today.day));
  const reason =
    exceeded('the day', state.workflow.budget?.perDay, used) ?? exceeded('the day', budgetPerDay, used);
  return reason === undefined ? undefined : { until: today.endsAt, reason, budget: true };
}

export function spentOn({ spent }: Pick<RunState, 'spent'>, day: string): Used {
  return Object.values(spent[day] ?? {}).reduce(addUsed, nothingUsed);
}

function exceeded(whose: string, budget: Budget | undefined, used: Used): string | undefined {
  const tokens = tokensOf(used);
  if (budget?.usd !== undefined && used.usd >= budget.usd)
    return `the budget of ${whose}, $${budget.usd}, is used up: ${dollars(used.usd)}`;
  if (budget?.tokens !== undefined && tokens >= budget.tokens)
    return `the budget of ${whose}, ${budget.tokens} tokens, is used up: ${tokens}`;
  return undefined;
}

/** Small sums to the hundredth of a cent: two digits would make nothing of them. */
function dollars(usd: number): string {
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}

/** Dollars that an attempt may use; undefined: no limit. */
export function dollarsLeft(
  state: RunState,
  { spec, usage = nothingUsed, overspends }: TaskState,
  { today, budgetPerDay }: Pick<World, 'today' | 'budgetPerDay'>,
): number | undefined {
  if (spec.work.type !== 'agent' || overspends === true) return undefined;
  const { budget } = state.workflow;
  const ofDay = addUsed(today.elsewhere, spentOn(state, today.day));
  const left = [
    remaining(spec.work.budget, usage),
    remaining(budget, state.usage),
    remaining(budget?.perDay, ofDay),
    remaining(budgetPerDay, ofDay),
  ].filter((dollars) => dollars !== undefined);
  return left.length === 0 ? undefined : Math.min(...left);
}

function remaining(budget: Budget | undefined, { usd }: Used): number | undefined {
  return budget?.usd === undefined ? undefined : Math.max(budget.usd - usd, 0);
}
