import type { Budget, LimitName } from '../model/index.ts';
import type { RunState, ScopeState } from './run-state.ts';

/** How many attempts may run at once in a scope. An operator sets it for the run as a whole. */
export function maxParallelOf(state: RunState, { owner, workflow }: ScopeState): number | undefined {
  return owner === '' ? inForce(state, 'max-parallel', workflow.maxParallel) : workflow.maxParallel;
}

/** Of a graph: undefined for other scopes. */
export function maxStepsOf(state: RunState, { owner, workflow }: ScopeState): number | undefined {
  const defined = workflow.graph?.maxSteps;
  return owner === '' && defined !== undefined ? inForce(state, 'max-steps', defined) : defined;
}

/** Of the run, without what people have raised it by. */
export function budgetOf(state: RunState): Budget {
  const { budget = {} } = state.workflow;
  const usd = inForce(state, 'budget.usd', budget.usd);
  const tokens = inForce(state, 'budget.tokens', budget.tokens);
  return { ...(usd !== undefined && { usd }), ...(tokens !== undefined && { tokens }) };
}

function inForce({ limits }: RunState, name: LimitName, defined: number | undefined): number | undefined {
  const set = limits?.[name];
  if (set === undefined) return defined;
  return set.to === 'none' ? undefined : set.to;
}
