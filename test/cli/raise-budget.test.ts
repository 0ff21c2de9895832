import { expect, test } from 'vitest';
import { readAmount } from '../../src/interfaces/cli/raise-budget.ts';
import { newProject } from './command-line.ts';
import { played, writeFlow } from './played.ts';

test.each([
  ['+5', { usd: 5 }],
  ['+$2.50', { usd: 2.5 }],
  ['+200k-tokens', { tokens: 200_000 }],
  ['+1.5M tokens', { tokens: 1_500_000 }],
  ['+300tokens', { tokens: 300 }],
])('%s is an amount to raise a budget by', (text, amount) => {
  expect(readAmount(text)).toEqual(amount);
});

test.each(['5', '-5', '+0', '+', '+5k', '+$5-tokens', '+0.5-tokens', '+5 euros', 'all', '+1e9'])(
  '%s is none',
  (text) => {
    expect(() => readAmount(text)).toThrow(`--budget is ${text}, which is no amount`);
  },
);

test('approve --budget raises what a task waits for, and the run goes on; the journal says by whom', async () => {
  const project = newProject();
  const used = { usage: { input: 1, output: 1, costUsd: 1.5 } };
  writeFlow(project, {
    a: played([[used, { hang: true }], [{ answer: 'x' }]], { budget: { usd: 1 } }),
  });
  const held = await project.piton(['run', 'flow', '--id', 'one']);
  expect(held.code).toBe(3);
  expect(held.stdout).toContain('the budget of the task, $1, is used up: $1.50');
  expect(held.stdout).toContain('piton approve one a --budget +5');

  const plain = await project.piton(['approve', 'one', 'a']);
  expect(plain.stderr).toContain('is used up: $1.50: say by how much to raise it');
  const wrong = await project.piton(['approve', 'one', 'a', '--budget', '5']);
  expect(wrong.stderr).toContain('Write dollars as in --budget +5');
  const raised = await project.piton(['approve', 'one', 'a', '--budget', '+2', '-m', 'worth it']);
  expect(raised.code).toBe(0);
  expect(raised.stdout).toMatch(
    /a may go on: the budget of the task was raised by \$2\.00 by \S+@\S+: worth it/,
  );
  expect((await project.piton(['history', 'one'])).stdout).toContain('was raised by $2.00');
});
