import { expect, test } from 'vitest';
import { sumsByAgent } from '../../src/interfaces/cli/usage/print-usage.ts';
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
