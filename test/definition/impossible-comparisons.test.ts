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
  a: { run: ls, output: { kind: { enum: [big, small] }, only: { const: it } } }
  word: { run: ls, output: { enum: [yes, no], type: string } }
  a-b: { run: ls }
  many: { for-each: { in: [1, 2] }, run: ls }
  b:
    needs: [a, a-b, many, word]
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
  ["needs.a.output.kind == 'bigg'", '`needs.a.output.kind` is never `bigg`.', 'Did you mean `big`?'],
  ["needs.a.output.only != 'that'", '`needs.a.output.only` is never `that`.', 'It is one of: it.'],
  ["'maybe' == tasks.word.output", '`tasks.word.output` is never `maybe`.', 'It is one of: yes, no.'],
  [
    "needs.many.items.exists(i, i.status == 'failure')",
    '`i.status` is never `failure`.',
    'Did you mean `failed`?',
  ],
  [
    "inputs.depth == 'deep' ? needs.a.status == 'error' : true",
    '`needs.a.status` is never `error`.',
    'Did you mean `failed`?',
  ],
  ["inputs.mode == 'quick'", '`inputs.mode` is never `quick`.', 'It is one of: fast, slow.'],
  ["inputs.depth == 'shalow'", '`inputs.depth` is never `shalow`.', 'Did you mean `shallow`?'],
])('%s is refused', async (condition, message, remedy) => {
  expect(await parseProblems(file(condition))).toMatchObject([
    { path: 'tasks.b.if', message, remedy, line: 14 },
  ]);
});

test.each([
  "needs.a.status == 'succeeded' || needs.a.status in ['failed', 'skipped', 'cancelled']",
  "inputs.mode == 'fast' && inputs.depth != 'deep'",
  "inputs.free == 'success' && needs.a-b.output == 'success'",
  'inputs.mode == inputs.free && needs.a.status != inputs.free',
  "needs.many.items.exists(i, i.status == 'failed')",
  "needs.a.status.startsWith('succ')",
])('%s is not', async (condition) => {
  expect(await parsed(file(condition))).toMatchObject({ name: 'w' });
});

test('a field of a matrix is compared with what stands in its lists', async () => {
  const task = (os: string): string => `
name: w
tasks:
  a:
    for-each: { matrix: { os: [linux, mac], n: [1], include: [{ os: bsd }] } }
    run: echo \${{ matrix.os == '${os}' }}
`;
  expect(await parseProblems(task('macos'))).toMatchObject([
    {
      path: 'tasks.a.run',
      message: '`matrix.os` is never `macos`.',
      remedy: 'It is one of: linux, mac, bsd.',
    },
  ]);
  expect(await parsed(task('bsd'))).toMatchObject({ name: 'w' });
});
