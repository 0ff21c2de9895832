import { changeAbout, type Budget, type EventOf, type LimitName } from '../model/index.ts';
import { raisedBudget } from './budgets.ts';
import { decideAnew } from './fold-turns.ts';
import { waitsForBudget } from './life.ts';
import { maxParallelOf, maxStepsOf } from './limits-in-force.ts';
import { rebuildAgenda } from './rebuild-agenda.ts';
import { scopeAt, type RunState, type SetLimit } from './run-state.ts';

/** Fold of `run.described`. */
export function foldAbout(state: RunState, { data }: EventOf<'run.described'>): void {
  state.about = changeAbout(state.about, data.change);
}

/** Fold of `limits.changed`: tasks that waited for what was set are up for a decision again. */
export function foldLimits(state: RunState, { data }: EventOf<'limits.changed'>): void {
  const { changes, by } = data;
  const limits: { [Name in LimitName]?: SetLimit } = { ...state.limits };
  for (const { limit, to } of changes) {
    if (to === undefined) Reflect.deleteProperty(limits, limit);
    else limits[limit] = { to, at: state.at, ...(by !== undefined && { by }) };
    forgetRaise(state, limit);
  }
  state.limits = limits;
  if (changes.some(({ limit }) => limit.startsWith('budget.'))) askForBudgetAgain(state);
  // Who holds how much of a limit is counted from its beginning, and one that was not there has not been counted at all.
  if (changes.some(({ limit }) => limit === 'max-parallel')) rebuildAgenda(state);
}

/** That of a day is another, and waited for by those that are delayed. */
function askForBudgetAgain(state: RunState): void {
  for (const task of state.tasks.values())
    if (task.life.status === 'held' && waitsForBudget(task.life)) decideAnew(state, task);
}

/** A budget that is set is the whole of it, whatever it was raised by before. */
function forgetRaise(state: RunState, limit: LimitName): void {
  const { run: raised } = state.raised;
  if (raised === undefined || !limit.startsWith('budget.')) return;
  const unit = limit === 'budget.usd' ? 'usd' : 'tokens';
  state.raised['run'] = { ...raised, [unit]: 0 };
}

/** What limits the run as a whole. */
interface LimitsInForce {
  readonly maxParallel?: number;
  readonly maxSteps?: number;
  readonly budget?: Budget;
}

/** With what people have raised its budget by. */
export function limitsOf(state: RunState): LimitsInForce {
  const scope = scopeAt(state, '');
  const maxParallel = maxParallelOf(state, scope);
  const maxSteps = maxStepsOf(state, scope);
  const budget = raisedBudget(state);
  return {
    ...(maxParallel !== undefined && { maxParallel }),
    ...(maxSteps !== undefined && { maxSteps }),
    ...(Object.keys(budget).length > 0 && { budget }),
  };
}
