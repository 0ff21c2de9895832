/** The conversation with an agent as a document, piece by piece. */
import { expect, test } from 'vitest';
import { markdownForm, type Block } from '../../src/interfaces/cli/conversation/index.ts';

function written(block: Partial<Block> & Pick<Block, 'kind'>, isFull = false): string {
  return markdownForm({ isFull })
    .block({ head: '', text: '', ...block })
    .join('\n');
}

test.each<[Partial<Block> & Pick<Block, 'kind'>, string]>([
  [{ kind: 'session', head: 'session abc' }, '_session abc_\n'],
  [{ kind: 'prompt', text: 'Mend it.\n\nNow.' }, '**Prompt**\n\n> Mend it.\n>\n> Now.\n'],
  [{ kind: 'message', text: 'one\n*two*' }, 'one\n*two*\n'],
  [{ kind: 'reasoning', text: 'Hm.' }, '_Reasoning_\n\n> Hm.\n'],
  [{ kind: 'call', head: 'Bash: ls' }, '▸ `Bash: ls`\n'],
  [{ kind: 'question', head: 'Bash: ls' }, '? `Bash: ls`\n'],
  [{ kind: 'answer', text: 'a\nb' }, '```\na\nb\n```\n'],
  [{ kind: 'answer', head: 'Bash: ls', text: 'a' }, '◂ `Bash: ls`\n\n```\na\n```\n'],
  [{ kind: 'answer', text: 'a', isError: true }, '✗ failed\n\n```\na\n```\n'],
  [{ kind: 'answer', head: 'ls', text: 'a', isError: true }, '✗ failed ◂ `ls`\n\n```\na\n```\n'],
  [{ kind: 'result', text: 'Done.\nAll of it.' }, '**Result**\n\nDone.\nAll of it.\n'],
  [{ kind: 'result', text: '{}', isData: true }, '**Result**\n\n```\n{}\n```\n'],
  [{ kind: 'told', head: 'told by ada', text: 'Stop.' }, '**Told by ada**\n\n> Stop.\n'],
  [{ kind: 'trouble', head: 'denied *all*' }, String.raw`**✗ denied \*all\***` + '\n'],
  [{ kind: 'notice', head: 'compacted #1' }, String.raw`· compacted \#1` + '\n'],
])('in a document %j is written as markdown', (block, expected) => {
  expect(written(block)).toBe(expected);
});

test('only who wants to see all is shown the input of a call, and long lines whole', () => {
  const call = { kind: 'call', head: 'x'.repeat(300), detail: 'a: 1' } as const;
  expect(written(call)).toMatch(/^▸ `x{199}…`\n$/);
  expect(written(call, true)).toBe(`▸ \`${call.head}\`\n\n\`\`\`\na: 1\n\`\`\`\n`);
  expect(written({ kind: 'call', head: 'ls', detail: '' }, true)).toBe('▸ `ls`\n');
  const answer = { kind: 'answer', text: 'l\n'.repeat(20) } as const;
  expect(written(answer)).toContain('more lines');
  expect(written(answer, true)).toBe(`\`\`\`\n${answer.text}\n\`\`\`\n`);
});

test('what was used is a line of its own', () => {
  const foot = markdownForm({ isFull: false }).foot({
    input: 12,
    output: 3,
    cachedInput: 0,
    unpricedTokens: 0,
  });
  expect(foot[0]).toMatch(/^_12 tokens in, 3 out_$/);
  expect(foot[1]).toBe('');
});
