/** Conditions that can never hold would skip a task without a word. */
import { expect, test } from 'vitest';
import { parsed, parseProblems } from './support.ts';

const file = (condition: string): string => `
name: w
inputs:
  mode: { schema: { enum: [fast, slow] } }
  depth: { schema: { type: string, enum: [shallow, deep] } }
  free: string
tasks:
  a: { run: ls }
  a-b: { run: ls }
  many: { for-each: { in: [1, 2] }, run: ls }
  b:
    needs: [a, a-b, many]
    if: ${JSON.stringify(condition)}
    run: ls
`;

test.each([
  ["needs.a.status == 'success'", '`needs.a.status` is never `success`.', 'Did you mean `succeeded`?'],
  ["'failure' == tasks.a.status", '`tasks.a.status` is never `failure`.', 'Did you mean `failed`?'],
  ["needs.a-b.status != 'canceled'", '`needs.a-b.status` is never `canceled`.', 'Did you mean `cancelled`?'],
  [
    "needs['a'].status in ['succeeded', 'skiped']",
    "`needs['a'].status` is never `skiped`.",
    'Did you mean `skipped`?',
  ],
  [
    "true && (false || needs.many.status == 'done')",
    '`needs.many.status` is never `done`.',
    'Did you mean `succeeded`?',
  ],
  [
    "needs.a.status == 'running'",
    '`needs.a.status` is never `running`.',
    'It is one of: succeeded, failed, skipped, cancelled.',
  ],
  ["inputs.mode == 'quick'", '`inputs.mode` is never `quick`.', 'It is one of: fast, slow.'],
  ["inputs.depth == 'shalow'", '`inputs.depth` is never `shalow`.', 'Did you mean `shallow`?'],
])('%s is refused', async (condition, message, remedy) => {
  expect(await parseProblems(file(condition))).toMatchObject([
    { path: 'tasks.b.if', message, remedy, line: 13 },
  ]);
});

test.each([
  "needs.a.status == 'succeeded' || needs.a.status in ['failed', 'skipped', 'cancelled']",
  "inputs.mode == 'fast' && inputs.depth != 'deep'",
  "inputs.free == 'success' && needs.a.output == 'success'",
  'inputs.mode == inputs.free && needs.a.status != inputs.free',
  "needs.many.items.exists(i, i.status == 'failed')",
  "needs.a.status.startsWith('succ')",
])('%s is not', async (condition) => {
  expect(await parsed(file(condition))).toMatchObject({ name: 'w' });
});
