import { expect, test } from 'vitest';
import { dollarsLeft, nothingUsed, type RunState, type TaskState } from '../../src/kernel/index.ts';
import type { Budget } from '../../src/model/index.ts';

const used = (usd: number) => ({ ...nothingUsed, usd });

interface Given {
  readonly ofTask?: Budget;
  readonly ofRun?: Budget & { readonly perDay?: Budget };
  readonly ofDay?: Budget;
  readonly overspends?: boolean;
  readonly raised?: Record<string, { readonly usd: number; readonly tokens: number }>;
}

/** The task has used $1, its run $3, today $4 of that and $10 elsewhere. */
function left({ ofTask, ofRun, ofDay, overspends, raised = {} }: Given, type = 'agent'): number | undefined {
  const spent = { today: { claude: used(4) } };
  const state = { workflow: { budget: ofRun }, usage: used(3), spent, raised };
  const task = { spec: { work: { type, budget: ofTask } }, usage: used(1), overspends };
  return dollarsLeft(
    state as unknown as RunState,
    task as unknown as TaskState,
    {
      today: { day: 'today', elsewhere: used(10) },
      budgetPerDay: ofDay,
    } as never,
  );
}

test('an attempt may use what is left of the smallest budget that it falls under', () => {
  expect(left({ ofTask: { usd: 5 } })).toBe(4);
  expect(left({ ofTask: { usd: 5 }, ofRun: { usd: 4 } })).toBe(1);
  expect(left({ ofTask: { usd: 2 }, ofRun: { usd: 20 } })).toBe(1);
  expect(left({ ofRun: { usd: 20, perDay: { usd: 16 } } })).toBe(2);
  expect(left({ ofRun: { usd: 20 }, ofDay: { usd: 15 } })).toBe(1);
});

test('what a person has raised a budget by is left, too', () => {
  expect(left({ ofRun: { usd: 4 }, raised: { run: { usd: 2, tokens: 0 } } })).toBe(3);
  expect(left({ ofDay: { usd: 15 }, raised: { today: { usd: 0.5, tokens: 0 } } })).toBe(1.5);
});

test('a budget that is used up leaves nothing, and never less', () => {
  expect(left({ ofRun: { usd: 3 } })).toBe(0);
  expect(left({ ofRun: { usd: 2 } })).toBe(0);
});

test('there is no limit without a budget in dollars, for what is no agent, or where a person has lifted it', () => {
  expect(left({})).toBeUndefined();
  expect(left({ ofTask: { tokens: 5 } })).toBeUndefined();
  expect(left({ ofTask: { usd: 5 } }, 'command')).toBeUndefined();
  expect(left({ ofTask: { usd: 5 }, overspends: true })).toBeUndefined();
});

test('what is left has no more digits than money has', () => {
  expect(left({ ofRun: { usd: 3.3 } })).toBe(0.3);
});
