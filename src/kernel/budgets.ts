import { moneyText } from '../base/index.ts';
import type { Budget, Command, Event, EventOf, Used } from '../model/index.ts';
import { decideAnew } from './fold-turns.ts';
import { budgetOf } from './limits-in-force.ts';
import { statusOfTask, type Raise, type RunState, type TaskState } from './run-state.ts';
import { addUsed, nothingUsed, tokensOf } from './usage-meter.ts';
import { spentOn } from './usage.ts';
import { accept, refuse, type Verdict } from './verdict.ts';
import type { World } from './world.ts';
import { waitsForBudget } from './life.ts';

type Unit = 'usd' | 'tokens';

/** A budget that is used up. */
interface Excess {
  readonly of: 'task' | 'run' | 'day';
  readonly unit: Unit;
  readonly limit: number;
  readonly used: number;
}

interface Account {
  readonly of: Excess['of'];
  readonly budget: Budget | undefined;
  readonly used: Used;
  readonly raise: Raise | undefined;
}

type Spending = Pick<World, 'today' | 'budgetPerDay'>;

/** What becomes of a task that would ask an agent although a budget is used up. That of the day ends by itself. */
export function budgetObstacle(state: RunState, task: TaskState, world: World): Event | undefined {
  const { address } = task;
  const excess = excessOf(accountsOf(state, task));
  if (excess !== undefined) {
    const actions = [excess.unit === 'usd' ? 'raise-dollars' : 'raise-tokens', 'skip'];
    return { type: 'task.held', task: address, data: { reason: excessText(excess), actions, budget: true } };
  }
  const ofDay = excessOf(accountsOfDay(state, task, world));
  if (ofDay === undefined) return undefined;
  const { day, endsAt } = world.today;
  const data = { until: endsAt, reason: excessText(ofDay), budget: true, day };
  return { type: 'task.delayed', task: address, data };
}

/** Why an agent that works must not go on: by what it told on the way it has used more than it may. */
export function reasonToStopSpending(
  state: RunState,
  task: TaskState,
  spending: Spending,
): string | undefined {
  if (task.life.status !== 'running' || task.life.attempt?.agent === undefined) return undefined;
  const accounts = [...accountsOf(state, task), ...accountsOfDay(state, task, spending)];
  const excess = accounts.flatMap((account) => excessesOf(account)).find(({ used, limit }) => used > limit);
  return excess && excessText(excess);
}

/** Why it is held, besides that: a person has to know both. */
export function overspent(state: RunState, task: TaskState): string {
  const excess = excessOf(accountsOf(state, task));
  return excess === undefined ? '' : `; and ${excessText(excess)}`;
}

function accountsOf(state: RunState, task: TaskState): readonly Account[] {
  const { spec, usage = nothingUsed, raised, overspends } = task;
  if (spec.work.type !== 'agent' || overspends === true) return [];
  return [
    { of: 'task', budget: spec.work.budget, used: usage, raise: raised },
    { of: 'run', budget: budgetOf(state), used: state.usage, raise: state.raised['run'] },
  ];
}

function accountsOfDay(
  state: RunState,
  { spec, overspends }: TaskState,
  spending: Spending,
): readonly Account[] {
  const budgets = [state.workflow.budget?.perDay, spending.budgetPerDay].filter(
    (budget) => budget !== undefined,
  );
  if (budgets.length === 0 || spec.work.type !== 'agent' || overspends === true) return [];
  const { today } = spending;
  const used = addUsed(today.elsewhere, spentOn(state, today.day));
  return budgets.map((budget) => ({ of: 'day', budget, used, raise: state.raised[today.day] }));
}

function excessOf(accounts: readonly Account[]): Excess | undefined {
  return accounts.flatMap((account) => excessesOf(account))[0];
}

function excessesOf({ of, budget, used, raise }: Account): Excess[] {
  const amounts: readonly [Unit, number][] = [
    ['usd', used.usd],
    ['tokens', tokensOf(used)],
  ];
  return amounts.flatMap(([unit, amount]) => {
    const limit = limitOf(budget, unit, raise);
    return limit === undefined || amount < limit ? [] : [{ of, unit, limit, used: amount }];
  });
}

function limitOf(budget: Budget | undefined, unit: Unit, raise: Raise | undefined): number | undefined {
  const defined = budget?.[unit];
  if (defined === undefined || raise === undefined) return defined;
  return withoutNoise(defined + raise[unit]);
}

/** That of the run, with what people have raised it by. */
export function raisedBudget(state: RunState): Budget {
  const budget = budgetOf(state);
  const raise = state.raised['run'];
  const [usd, tokens] = [limitOf(budget, 'usd', raise), limitOf(budget, 'tokens', raise)];
  return { ...(usd !== undefined && { usd }), ...(tokens !== undefined && { tokens }) };
}

/** Without the noise of binary fractions (0.30000000000000004), which people and programs would be shown. */
function withoutNoise(amount: number): number {
  return Number(amount.toFixed(6));
}

function excessText({ of, unit, limit, used }: Excess): string {
  return unit === 'usd'
    ? `the budget of the ${of}, $${withoutNoise(limit)}, is used up: ${moneyText(used)}`
    : `the budget of the ${of}, ${limit} tokens, is used up: ${used}`;
}

/** Dollars that an attempt may use; undefined: no limit. */
export function dollarsLeft(state: RunState, task: TaskState, spending: Spending): number | undefined {
  const accounts = [...accountsOf(state, task), ...accountsOfDay(state, task, spending)];
  const left = accounts.flatMap(({ budget, used, raise }) => {
    const limit = limitOf(budget, 'usd', raise);
    return limit === undefined ? [] : [withoutNoise(Math.max(limit - used.usd, 0))];
  });
  return left.length === 0 ? undefined : Math.min(...left);
}

type RaiseCommand = Extract<Command, { type: 'raise' }>;

/** A person allows more, by an amount: of the budget that the task waits for. */
export function raiseBudget(state: RunState, command: RaiseCommand): Verdict {
  const { task: address, unit, amount, attempt } = command;
  const task = state.tasks.get(address);
  if (task === undefined) return refuse(`the run has no task ${address}`);
  if (!Number.isFinite(amount) || amount <= 0) return refuse('a budget is raised by an amount above zero');
  if (attempt !== undefined && attempt !== task.lastAttempt)
    return refuse(`${address} has had another attempt since`);
  const target = raisable(state, task, unit);
  if (typeof target === 'string') return refuse(target);
  if ('used' in target && target.used - target.limit >= amount) {
    const least = inUnit(unit, target.used - target.limit);
    return refuse(`that is not enough: ${excessText(target)}. Raise it by more than ${least}`);
  }
  const text = `the budget of the ${target.of} is raised by ${inUnit(unit, amount)}, and ${address} goes on`;
  return accept(text, raisedEvent(command, target));
}

function raisedEvent(
  { task, unit, amount, by, comment }: RaiseCommand,
  target: { readonly of: Excess['of']; readonly day?: string },
): Event {
  const data = {
    of: target.of,
    [unit]: amount,
    ...(target.day !== undefined && { day: target.day }),
    ...(by !== undefined && { by }),
    ...(comment !== undefined && { comment }),
  };
  return { type: 'budget.raised', task, data };
}

/** Which budget it is that keeps the task waiting, or why none is to be raised. */
function raisable(
  state: RunState,
  task: TaskState,
  unit: Unit,
): Excess | { readonly of: 'day'; readonly day: string } | string {
  const { address, life } = task;
  if (!waitsForBudget(life)) return `${address} waits for no budget: it is ${statusOfTask(task)}`;
  if (life.status === 'delayed') {
    const day =
      (life.waitsFor.type === 'budget' ? life.waitsFor.day : undefined) ??
      Object.keys(state.spent).toSorted().at(-1);
    return day === undefined ? `${address} waits for the next day` : { of: 'day', day };
  }
  const excesses = accountsOf(state, task).flatMap((account) => excessesOf(account));
  const found = excesses.find((excess) => excess.unit === unit);
  if (found !== undefined) return found;
  const other = excesses[0];
  return other === undefined
    ? `no budget of ${address} is used up`
    : `${excessText(other)}: raise it by ${other.unit === 'usd' ? 'dollars' : 'tokens'}`;
}

function inUnit(unit: Unit, amount: number): string {
  return unit === 'usd' ? moneyText(amount) : `${amount} tokens`;
}

/** Fold of `budget.raised`: whoever waits for it is up for a decision again. */
export function foldRaise(state: RunState, { task: address, data }: EventOf<'budget.raised'>): void {
  const own = state.tasks.get(address)!;
  if (data.of === 'task') own.raised = addRaise(own.raised, data);
  else {
    const key = data.of === 'run' ? 'run' : data.day!;
    state.raised[key] = addRaise(state.raised[key], data);
  }
  for (const task of data.of === 'task' ? [own] : state.tasks.values()) {
    if (waitsForBudget(task.life)) decideAnew(state, task);
  }
}

function addRaise(
  before: Raise | undefined,
  { usd = 0, tokens = 0 }: EventOf<'budget.raised'>['data'],
): Raise {
  return { usd: (before?.usd ?? 0) + usd, tokens: (before?.tokens ?? 0) + tokens };
}
