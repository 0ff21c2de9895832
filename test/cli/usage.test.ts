import { expect, test } from 'vitest';
import { createOutput } from '../../src/interfaces/cli/output/index.ts';
import { printUsage, sumsByAgent } from '../../src/interfaces/cli/usage/print-usage.ts';
import type { DayUsage } from '../../src/library/index.ts';
import { newProject } from './command-line.ts';
import { played, writeFlow } from './played.ts';

test('usage tells tokens and dollars by day and agent with their sum, and names what has no price', async () => {
  const project = newProject();
  const used = (costUsd: number | undefined, input: number): object => ({
    usage: { input, output: 10, ...(costUsd !== undefined && { costUsd }) },
  });
  writeFlow(project, {
    a: played([[used(0.25, 1_000), { answer: 'x' }]]),
    b: played([[used(undefined, 490), { answer: 'x' }]]),
  });
  for (const id of ['one', 'two']) expect((await project.piton(['run', 'flow', '--id', id])).code).toBe(0);
  const sum = { usd: 0.5, tokens: 3_020, unpricedTokens: 1_000 };
  expect(await project.json(['usage', '--days', '2'])).toEqual({
    since: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    days: [{ day: expect.any(String), agent: 'scripted', ...sum, runs: 2 }],
    agents: { scripted: sum },
    total: sum,
  });
  const { stdout } = await project.piton(['usage']);
  expect(stdout).toMatch(
    /^day +agent +tokens +dollars +unpriced +in\n\S+ +scripted +3k +\$0\.5000 +1k tokens +2 runs\ntotal +3k +\$0\.5000 +1k tokens\n/,
  );
});

test('usage of a project without agents says so, and the budget of a day is told with what is used of it', async () => {
  const project = newProject();
  await project.piton(['init']);
  expect((await project.piton(['usage'])).stdout).toContain(
    'No agent has used anything in the last 30 days.',
  );
  expect((await project.piton(['usage', '--days', 'x'])).stderr).toContain('--days is x');
  project.write('.piton/config.yaml', 'budget: { per-day: { usd: 20 } }\n');
  writeFlow(project, { a: played([[{ usage: { input: 1, output: 1, costUsd: 1.5 } }, { answer: 'x' }]]) });
  expect((await project.piton(['run', 'flow'])).code).toBe(0);
  expect((await project.piton(['usage', '--days', '1'])).stdout).toContain(
    'today: $1.50 and 2 tokens, of $20.00 that a day may cost\n',
  );
});

test('sums by agent are told apart from the lines of a day, and left out where they would repeat them', () => {
  const part = (day: string, agent: string): Parameters<typeof sumsByAgent>[0][number] => ({
    day,
    agent,
    usd: 0.5,
    tokens: 10,
    unpricedTokens: 0,
    runs: 1,
  });
  const days = [part('2026-03-02', 'claude'), part('2026-03-02', 'codex'), part('2026-03-01', 'claude')];
  expect(sumsByAgent(days)).toEqual([
    ['all days', 'claude', '20', '$1.00', ''],
    ['', 'codex', '10', '$0.5000', ''],
  ]);
  expect(sumsByAgent(days.slice(0, 2))).toEqual([]);
  expect(sumsByAgent([days[0]!, days[2]!])).toEqual([]);
});

/** What `piton usage` prints of these at noon on the third of March. */
function printed(usage: readonly DayUsage[], budgetPerDay?: object): string[] {
  let text = '';
  const stream = { on: () => undefined, write: (part: string) => (text += part) } as unknown;
  const output = createOutput({ stdout: stream, stderr: stream, env: {} } as never, false);
  const now = (): number => new Date(2026, 2, 3, 12).getTime();
  printUsage({ output, config: { budgetPerDay }, now } as never, usage);
  return text.split('\n');
}

test('each day is named once, what has no price has none, and the sums are below', () => {
  const part = (day: number, agent: string, more: Partial<DayUsage> = {}): DayUsage => ({
    day: `2026-03-0${day}`,
    agent,
    usd: 0.5,
    tokens: 10,
    unpricedTokens: 0,
    runs: 1,
    ...more,
  });
  const days = [
    part(3, 'claude'),
    part(3, 'co\u0007dex', { usd: 0, unpricedTokens: 10, runs: 2 }),
    part(2, 'claude', { unpricedTokens: 10 }),
    part(1, 'claude', { usd: 0, tokens: 0 }),
  ];
  expect(printed(days, { usd: 20 })).toEqual([
    'day         agent   tokens  dollars  unpriced   in',
    '2026-03-03  claude  10      $0.5000             1 run',
    '            codex   10               10 tokens  2 runs',
    '2026-03-02  claude  10      $0.5000  10 tokens  1 run',
    '2026-03-01  claude  0       $0.0000             1 run',
    'all days    claude  20      $1.00    10 tokens',
    '            codex   10               10 tokens',
    'total               30      $1.00    20 tokens',
    '',
    'today: $0.5000 and 20 tokens, of $20.00 that a day may cost',
    'Next: piton list',
    '  or: piton status <run> shows what its tasks have used',
    '',
  ]);
  expect(printed(days.slice(0, 1)).slice(1, 5)).toEqual([
    '2026-03-03  claude  10      $0.5000            1 run',
    'total               10      $0.5000',
    '',
    'Next: piton list',
  ]);
});
