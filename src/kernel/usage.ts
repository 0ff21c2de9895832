import { isPlainObject, type Json } from '../base/index.ts';
import type { Budget } from '../model/index.ts';
import type { RunState, TaskState, Usage } from './run-state.ts';

const nothing: Usage = { usd: 0, tokens: 0 };

/** Fold of `transcript.added`: what an agent says it has used. */
export function countUsage(state: RunState, task: TaskState, entries: readonly Json[]): void {
  for (const entry of entries) {
    if (!isPlainObject(entry) || entry['type'] !== 'usage') continue;
    const used = usageOf(state, task, entry);
    state.usage = plus(state.usage, used);
    task.usage = plus(task.usage ?? nothing, used);
  }
}

/** Of a count from the beginning of the session only what is new; one that begins anew counts as a whole. */
function usageOf(state: RunState, task: TaskState, entry: Readonly<Record<string, unknown>>): Usage {
  const told = {
    usd: numberIn(entry, 'costUsd'),
    tokens: numberIn(entry, 'input') + numberIn(entry, 'output'),
  };
  const session = task.session?.id;
  if (entry['isCumulative'] !== true || session === undefined) return told;
  const before = state.metered[session] ?? nothing;
  state.metered[session] = told;
  const isAnew = told.tokens < before.tokens || told.usd < before.usd;
  return isAnew ? told : { usd: told.usd - before.usd, tokens: told.tokens - before.tokens };
}

function numberIn(entry: Readonly<Record<string, unknown>>, field: string): number {
  const value = entry[field];
  return typeof value === 'number' ? value : 0;
}

function plus(one: Usage, other: Usage): Usage {
  return { usd: one.usd + other.usd, tokens: one.tokens + other.tokens };
}

/** Why an agent must not be asked again, if its budget or that of the run is used up, and nobody has said otherwise. */
export function overBudget(
  state: RunState,
  { spec, usage = nothing, overspends }: TaskState,
): string | undefined {
  if (spec.work.type !== 'agent' || overspends === true) return undefined;
  return (
    exceeded('the task', spec.work.budget, usage) ?? exceeded('the run', state.workflow.budget, state.usage)
  );
}

function exceeded(whose: string, budget: Budget | undefined, { usd, tokens }: Usage): string | undefined {
  if (budget?.usd !== undefined && usd >= budget.usd)
    return `the budget of ${whose}, $${budget.usd}, is used up: $${usd.toFixed(2)}`;
  if (budget?.tokens !== undefined && tokens >= budget.tokens)
    return `the budget of ${whose}, ${budget.tokens} tokens, is used up: ${tokens}`;
  return undefined;
}

/** Dollars that an attempt may use; undefined: no limit. */
export function dollarsLeft(
  state: RunState,
  { spec, usage = nothing, overspends }: TaskState,
): number | undefined {
  if (spec.work.type !== 'agent' || overspends === true) return undefined;
  const left = [remaining(spec.work.budget, usage), remaining(state.workflow.budget, state.usage)].filter(
    (dollars) => dollars !== undefined,
  );
  return left.length === 0 ? undefined : Math.min(...left);
}

function remaining(budget: Budget | undefined, { usd }: Usage): number | undefined {
  return budget?.usd === undefined ? undefined : Math.max(budget.usd - usd, 0);
}
