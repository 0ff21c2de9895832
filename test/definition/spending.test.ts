import { describe, expect, test } from 'vitest';
import { stateGraph, workflow as begin } from '../../src/index.ts';
import { messages, parsed, parseProblems, refusal, task, workflow } from './support.ts';

const file = (head: string) => `${head}\nname: w\ntasks: { a: { agent: claude, prompt: Go. } }`;

describe('budgets', () => {
  test('a run has one, and all runs of a day together', async () => {
    const { budget } = await parsed(file('budget: { usd: 20, per-day: { usd: 50, tokens: 1000 } }'));
    expect(budget).toEqual({ usd: 20, perDay: { usd: 50, tokens: 1000 } });
    expect((await parsed(file('budget: { per-day: { tokens: 5 } }'))).budget).toEqual({
      perDay: { tokens: 5 },
    });
  });

  test('a task has none per day, and is told where that belongs', async () => {
    const text = '{ name: w, tasks: { a: { agent: claude, prompt: Go., budget: { per-day: { usd: 5 } } } } }';
    expect(await parseProblems(text)).toMatchObject([
      {
        path: 'tasks.a.budget.per-day',
        remedy:
          'Only a workflow as a whole has a budget per day. Put it at the top of the file: `budget: { per-day: { usd: 50 } }`.',
      },
    ]);
    const work = {
      type: 'agent',
      agents: ['claude'],
      prompt: 'Go.',
      budget: { usd: 1, perDay: { usd: 1 } },
    } as const;
    expect(messages(refusal(() => workflow([task('a', { work })])))).toEqual([
      'Only a workflow as a whole has a budget per day.',
    ]);
  });

  test.each([
    ['budget: { usd: -1 }', 'budget.usd', '`usd` must be a number of at least 0; it is -1.'],
    ['budget: { tokens: 1.5 }', 'budget.tokens', '`tokens` must be a whole number of at least 0; it is 1.5.'],
    ['budget: { dollars: 5 }', 'budget.dollars', 'There is no key `dollars` here.'],
    ['budget: {}', 'budget', 'This budget limits nothing.'],
    ['budget: { usd: 1, per-day: {} }', 'budget.per-day', 'This budget limits nothing.'],
    [
      'budget: { per-day: { usd: -5 } }',
      'budget.per-day.usd',
      '`usd` must be a number of at least 0; it is -5.',
    ],
  ])('%s is refused', async (head, path, message) => {
    expect(await parseProblems(file(head))).toMatchObject([{ path, message }]);
  });
});

describe('usage limits', () => {
  test.each<[string, object | undefined]>([
    ['{ wait: false }', { maxWaitMs: 0 }],
    ['{ wait: 6h }', { maxWaitMs: 21_600_000 }],
    ['{ wait: true }', undefined],
    ['{}', undefined],
    ['{ quiet-hours: "22:00-07:00" }', { quietHours: { from: 1_320, to: 420 } }],
    ['{ wait: true, quiet-hours: 9:30 – 17:05 }', { quietHours: { from: 570, to: 1_025 } }],
    ['{ wait: 1h, quiet-hours: 22:00-24:00 }', { maxWaitMs: 3_600_000, quietHours: { from: 1_320, to: 0 } }],
  ])('%s means %o', async (given, expected) => {
    expect((await parsed(file(`usage-limits: ${given}`))).usageLimits).toEqual(expected);
  });

  test.each([
    ['{ wait: soon }', 'wait', '`soon` is no time span.'],
    ['{ wait: -1 }', 'wait', '`-1` is no time span.'],
    ['{ quiet-hours: 25:00-07:00 }', 'quiet-hours', 'In `25:00-07:00` there is a time that no day has.'],
    ['{ quiet-hours: 22:60-07:00 }', 'quiet-hours', 'In `22:60-07:00` there is a time that no day has.'],
    ['{ quiet-hours: 24:00-07:00 }', 'quiet-hours', 'In `24:00-07:00` there is a time that no day has.'],
    ['{ quiet-hours: at night }', 'quiet-hours', '`at night` are no hours of a day.'],
    [
      '{ quiet-hours: 07:00-7:00 }',
      'quiet-hours',
      'Quiet hours that end when they begin would never end, or never begin.',
    ],
    [
      '{ quiet-hours: 00:00-24:00 }',
      'quiet-hours',
      'Quiet hours that end when they begin would never end, or never begin.',
    ],
    ['{ waits: 1h }', 'waits', 'There is no key `waits` here.'],
  ])('%s is refused', async (given, key, message) => {
    expect(await parseProblems(file(`usage-limits: ${given}`))).toMatchObject([
      { line: 1, path: `usage-limits.${key}`, message },
    ]);
  });
});

describe('in TypeScript', () => {
  const settings = {
    budget: { usd: 5, perDay: { tokens: 9 } },
    usageLimits: { wait: '6h', quietHours: '22:00-07:00' },
  };
  const expected = {
    budget: { usd: 5, perDay: { tokens: 9 } },
    usageLimits: { maxWaitMs: 21_600_000, quietHours: { from: 1_320, to: 420 } },
  };

  test('both builders know them', () => {
    expect(begin('w', settings).agent('a', { agent: 'claude' }, 'Go.').workflow).toMatchObject(expected);
    const graph = stateGraph<object>('g', settings).agent('a', { agent: 'claude' }, 'Go.').edge('a', 'end');
    expect(graph.workflow).toMatchObject(expected);
  });

  test.each([
    [false, { maxWaitMs: 0 }],
    [true, undefined],
    [1_000, { maxWaitMs: 1_000 }],
  ])('to wait %s means %o', (wait, limits) => {
    const { workflow } = begin('w', { usageLimits: { wait } }).agent('a', { agent: 'claude' }, 'Go.');
    expect(workflow.usageLimits).toEqual(limits);
  });

  test('nonsense is refused when the workflow is defined', () => {
    const define = (usageLimits: { wait?: string; quietHours?: string }) => () =>
      begin('w', { usageLimits }).agent('a', { agent: 'claude' }, 'Go.').workflow;
    expect(define({ wait: 'soon' })).toThrow('usageLimits.wait is "soon", which is not a time span.');
    expect(define({ quietHours: 'night' })).toThrow('`night` are no hours of a day.');
    expect(() => workflow([task('a')], { usageLimits: { quietHours: { from: 0, to: 1_440 } } })).toThrow(
      'There is a time that no day has.',
    );
  });

  test('a finished workflow can be defined again as it is', () => {
    const { hash, ...again } = begin('w', settings).agent('a', { agent: 'claude' }, 'Go.').workflow;
    expect(workflow(again.tasks, again).hash).toBe(hash);
  });
});

describe('numbers that cannot be are refused where they stand', () => {
  const agentWork = { type: 'agent', agents: ['claude'], prompt: 'Go.' } as const;

  test.for<[string, Parameters<typeof workflow>]>([
    ['checkpoint.every', [[task('a')], { checkpoint: { every: { tasks: 0 } } }]],
    ['checkpoint.every', [[task('a')], { checkpoint: { every: { ms: 0 } } }]],
    ['usageLimits.wait', [[task('a')], { usageLimits: { maxWaitMs: -1 } }]],
    ['breakers.api.maxCooldown', [[task('a')], { breakers: { api: { maxCooldownMs: 0 } } }]],
    ['tasks.a.idleTimeout', [[task('a', { work: { ...agentWork, idleTimeoutMs: -1 } })]]],
    ['tasks.a.maxTurns', [[task('a', { work: { ...agentWork, maxTurns: 0 } })]]],
    ['tasks.a.setup.ports', [[task('a', { work: agentWork, setup: { copy: [], ports: 101 } })]]],
  ])('%s', ([path, [tasks, more]]) => {
    expect(refusal(() => workflow(tasks, more))).toMatchObject([{ path }]);
  });

  test('the largest that can be is accepted', () => {
    const made = workflow([task('a', { work: agentWork, setup: { copy: [], ports: 100 } })]);
    expect(made.tasks[0]!.setup).toMatchObject({ ports: 100 });
  });
});
