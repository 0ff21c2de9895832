/** Questions to people, in files: what they become, and what is wrong with them before anybody is asked. */
import { describe, expect, test } from 'vitest';
import { parsed, parseProblems } from './support.ts';

const file = (ask: string, more = ''): string => `
name: w
inputs: { app: string }
defaults: { timeout: 5m, retry: 3, on-interrupt: ask }
tasks:
  plan: { run: 'echo x', output: { plans: [string] } }
  q: { needs: plan, ask: ${ask} ${more} }
`;

describe('a question', () => {
  test('is text, or more about it; defaults that are for work do not apply to it', async () => {
    const short = (await parsed(file('Which port?'))).tasks[1]!;
    expect(short.work).toEqual({ type: 'ask', question: 'Which port?', answer: 'string' });
    expect(short).toMatchObject({ retry: { attempts: 1 }, onInterrupt: 'restart' });
    expect(short.timeoutMs).toBeUndefined();
    const long = file(
      '{ question: "Deploy ${{ inputs.app }}?", choices: [a, 3, true], default: a, deadline: 2h }',
    );
    expect((await parsed(long)).tasks[1]!.work).toEqual({
      type: 'ask',
      question: 'Deploy ${{ inputs.app }}?',
      answer: 'choice',
      choices: ['a', 3, true],
      default: 'a',
      deadlineMs: 7_200_000,
    });
    const given = file('{ question: Which?, choices: "${{ needs.plan.output.plans }}" }');
    expect((await parsed(given)).tasks[1]!.reads).toEqual(['plan']);
  });

  test.each([
    ['{ question: " " }', '', 'A question needs a text.'],
    ['{ question: x, type: number, choices: [a] }', '', 'cannot have a `type` too'],
    ['{ question: x, choices: [] }', '', 'a list of at least one'],
    ['{ question: x, choices: [1, "1"] }', '', 'has `1` twice'],
    ['{ question: x, choices: [[a]] }', '', 'texts, numbers'],
    ['{ question: x, choices: [a], default: b }', '', 'The default is no answer: it must be one of: a.'],
    ['{ question: x, type: integer, default: 1.5 }', '', 'it must be a whole number'],
    ['{ question: x, deadline: 5 }', '', 'it has no unit'],
    ['{ question: "${{ inputs.nothing }}" }', '', 'nothing'],
    ['x', ', approval: sure?', 'needs no approval'],
    ['x', ', run: ls', 'cannot have `ask` too'],
    ['x', ', timeout: 5m', 'deadline: 2h'],
    ['x', ', output: number', 'type: number'],
    ['x', ', retry: 2', '`retry` is for tasks that do something'],
    ['x', ', env: { A: b }', '`env` is for tasks that do something'],
    ['x', ', with: { a: b }', 'Give the question its values'],
    ['x', ', check: ls', 'the answer is checked'],
  ])('%s%s is wrong', async (ask, more, expected) => {
    const problems = await parseProblems(file(ask, more));
    expect(problems.map(({ message, remedy }) => `${message} ${remedy ?? ''}`).join('\n')).toContain(
      expected,
    );
    expect(problems).toHaveLength(1);
  });

  const reading = (condition: string): string => `${file('{ question: x, choices: [a, b] }')}
  n: { ask: { question: x, type: number } }
  last: { needs: [q, n], if: ${JSON.stringify(condition)}, run: ls }
`;

  test.each([
    ["needs.q.output == 'c'", '`needs.q.output` is never `c`.'],
    ["needs.n.output == 'c'", 'is not possible'],
    ['needs.q.output.x == 1', 'x'],
  ])('whose answer is read by %s cannot be meant so', async (condition, expected) => {
    const problems = await parseProblems(reading(condition));
    expect(problems).toHaveLength(1);
    expect(problems[0]!.message).toContain(expected);
  });

  test('may be compared with what it can be', async () => {
    const flow = await parsed(reading("needs.q.output == 'a' && needs.n.output > 3"));
    expect(flow.tasks.at(-1)!.if).toContain('needs.n.output > 3');
  });
});
