import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { markdownOf, proseOf } from '../../src/base/index.ts';
import { bodyOf, titleOf } from '../../src/workspaces/account-text.ts';
import type { RunAccount, TaskAccount } from '../../src/workspaces/index.ts';
import { commitText } from '../../src/workspaces/git/commits.ts';
import { mergeSubject, messageOf, subjectOf } from '../../src/workspaces/work-text.ts';

const trailers = { run: 'r1', task: 'fix', attempt: 'a1', seq: 3 };

/** What git takes for the trailers of the commit of a task whose agent said this. */
function trailersOf(summary: string): string {
  const message = messageOf('fix', { summary });
  const text = commitText({ tree: '', parents: [], message, trailers, at: 0 });
  return execFileSync('git', ['interpret-trailers', '--parse'], { input: text, encoding: 'utf8' });
}

const own = 'Piton-Run: r1\nPiton-Task: fix\nPiton-Attempt: a1\nPiton-Seq: 3\n';

test.each([
  ['Added a login page.', 'Added a login page'],
  ['I have added a login page. All tests pass.', 'Added a login page'],
  ["I've just added it", 'Added it'],
  ['**Done.**\n\n## Summary\n- Added `login.ts` with tests', 'Added `login.ts` with tests'],
  ['Done!\n\n- Added `login.ts` with tests', 'Added `login.ts` with tests'],
  ['done', 'fix: Mend the title'],
  ['', 'fix: Mend the title'],
  ['{"ok":true}', 'fix: Mend the title'],
  ['```\ncode\n```\nRenamed the module.', 'Renamed the module'],
  ['fixup! squash! Initial commit', 'Initial commit'],
  ['Snapshot: after tool', 'Snapshot – after tool'],
])('of %j the subject is %j', (summary, subject) => {
  expect(subjectOf('fix', { summary, purpose: 'Mend the title.' })).toBe(subject);
});

test('a subject has 72 characters at most, and ends at a word', () => {
  const long = 'Rewrote the module that reads the configuration so that it reports every mistake at once';
  for (const subject of [subjectOf('fix', { summary: long }), mergeSubject('fix', { summary: long })]) {
    expect(subject.length).toBeLessThanOrEqual(72);
    expect(subject).toMatch(/\w…$/);
  }
  expect(subjectOf('x'.repeat(200), {}).length).toBe(72);
  expect(messageOf('fix', { summary: long })).toContain(long);
});

test.each([
  'Fixed it.\n\nPiton-Run: other\nPiton-Task: other',
  'Fixed it.\n\nSigned-off-by: Linus <l@example.org>\nCo-authored-by: x <x@example.org>',
  'Fixed it.\n\nReviewed-by: a\n---\nand more',
  'Fixed it.\n\nReviewed-by: a\n\n---\n\nPiton-Run: other\n',
  'Reviewed-by: a\n--- \nb',
  'Fixed it.\r\n\r\nPiton-Run: other\r\n',
  'Fixed it.\u2028\u2028Piton-Run: other\u0085Piton-Seq: 9',
  'Fixed it.\n\n# ------------------------ >8 ------------------------\nPiton-Run: other',
  'Fixed it.\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b',
])('whatever an agent says, the trailers of its commit are ours alone: %j', (summary) => {
  expect(trailersOf(summary)).toBe(own);
});

test('what Piton looks for in messages cannot be said by an agent', () => {
  const message = messageOf('fix', {
    summary: 'Fixed.\n\nPiton-Conflict: "a.txt"\nPiton-Delivered: abc\nMore about piton-attempt: x',
  });
  expect(message).not.toMatch(/piton-[a-z]/i);
});

test('mentions, references, marks for checks and escape sequences become plain words', () => {
  const said = proseOf(
    'Thanks @octocat and @org/team. Closes #12, fixes owner/repo#3, GH-4, !5, resolves https://github.com/o/r/issues/6. [skip ci] [ci skip] ***NO_CI*** \u001b[31mred\u001b[0m \u202eright\u200bleft me@example.org C# x',
  );
  expect(said).not.toMatch(/(^|\W)@\w|#\w|GH-\d|!\d|resolves\s+https|\[skip|\[ci|\*\*\*NO_CI|\u202e/);
  expect(said).not.toContain('\u001b');
  const shown = said.replaceAll('\u200b', '');
  expect(shown).toBe(
    'Thanks @octocat and @org/team. Closes #12, fixes owner/repo#3, GH-4, !5, resolves https://github.com/o/r/issues/6. [skip ci] [ci skip] ***NO_CI*** red rightleft me@example.org C# x',
  );
  expect(said).toContain('me@example.org C# x');
});

test.each(['```', ' ````', '   ```  '])('code ends where Markdown ends it: at %j', (end) => {
  const said = markdownOf(['```', 'code', end, '@octocat <details>', '```', 'the rest'].join('\n'));
  expect(said).toMatch(/^```\ncode\n```\n@\u200boctocat <\u200bdetails>\n\u200b```\nthe rest$/);
});

test.each(['&commat;octocat', '&num;12', '&#64;octocat', '&#x40;octocat'])(
  'no other way of writing a mention or a reference is one: %s',
  (text) => {
    expect(markdownOf(text)).not.toMatch(/&#?\w+;/);
  },
);

test.each([markdownOf, proseOf])('no line is an order to a bot', (change) => {
  expect(change('Done.\n/approve\n  /merge')).not.toMatch(/^\s*\/[a-z]/m);
});

test('nothing in Markdown is hidden, and nothing of it goes on into what follows', () => {
  const said = markdownOf(
    [
      'Text <!-- hidden --> <details><summary>x</summary> <img src=x> a<b Array<string>',
      '![tracker](https://evil.example/x.png) [safe](https://evil.example)',
      '[hidden]: https://evil.example "instructions"',
      '[^1]: hidden',
      '$\\color{white}{x}$',
      '- ```',
      '> ~~~',
      '```js',
      'const a = "@octocat #1 <b>";',
      '```',
      '```math',
      'x',
      '~~~',
      'and the rest',
    ].join('\n'),
  );
  expect(said.replace(/^```[\s\S]*?^```/m, '')).not.toMatch(/<[A-Za-z/!?]/);
  expect(said).not.toMatch(/!\[|\]\(|\]:|\$\\/);
  expect(said).toContain('```\nconst a = "@octocat #1 <b>";\n```');
  // The fence that is never closed is none.
  expect(said.match(/^(```|~~~)/gm)).toHaveLength(2);
  expect(said.replaceAll('\u200b', '')).toContain('- ```\n> ~~~\n');
});

const task = (name: string, summary: string, more: Partial<TaskAccount> = {}): TaskAccount => ({
  task: name,
  status: 'succeeded',
  text: { summary },
  hasChanged: true,
  ...more,
});

function account(...tasks: readonly TaskAccount[]): RunAccount {
  return { run: 'r1', workflow: 'ship', tasks, usage: '12.3k tokens, $0.12', tookMs: 250_000 };
}

test('a pull request is called what its work is, and tells how it was made below', () => {
  const one = account(
    task('plan', 'Planned all of it.', { hasChanged: false }),
    task('build', 'Added a login page.\n\nIt has tests.', {
      check: 'npm test',
      session: { agent: 'claude', id: 's-1' },
      usage: '12.3k tokens, $0.12',
      tookMs: 61_000,
    }),
  );
  expect(titleOf(one)).toBe('Added a login page');
  expect(bodyOf(one)).toBe(`Added a login page.

It has tests.

<details>
<summary>How it was made: 2 tasks, 1 check passed, 12.3k tokens, $0.12, 4m10s</summary>

| task | result | check | agent | used | took |
| --- | --- | --- | --- | --- | --- |
| \`plan\` | succeeded |  |  |  |  |
| \`build\` | succeeded | \`npm test\` passed | \`claude\`, session \`s-1\` | 12.3k tokens, $0.12 | 1m1s |

Run \`r1\` of the workflow \`ship\`. Its tasks: \`piton show r1\`; what was said: \`piton logs r1 <task>\`;
what changed: \`piton diff r1 --patch\`.

</details>
`);
});

test('of several tasks each has its part; too many for a title are named', () => {
  const two = account(task('a', 'Added a login page.'), task('b', 'Added a logout page.'));
  expect(titleOf(two)).toBe('Added a login page; Added a logout page');
  expect(bodyOf(two)).toMatch(/^- Added a login page\n- Added a logout page\n\n<details>/);
  const long = account(
    task('a', 'Added a login page with a form.\n\nAnd tests.'),
    task('b', 'Added a logout page with a form that asks first.'),
    task('c', 'x'),
    task('d', 'y'),
  );
  expect(titleOf(long)).toBe('ship: a, b, c and 1 more');
  expect(bodyOf(long)).toMatch(
    /^### Added a login page with a form\n\nAdded a login page with a form\.\n\nAnd tests\.\n\n- Added/,
  );
  expect(titleOf(account())).toBe('ship');
});

test('names of tasks, checks and sessions stay in their cell', () => {
  const body = bodyOf(
    account(
      task('a`|</details><script>', 'Done it | all', {
        check: 'echo `x` | grep "|" \u001b[31m\nsecond',
        session: { agent: 'x', id: '`</summary>' },
      }),
    ),
  );
  const rows = body.split('\n').filter((line) => line.startsWith('| '));
  expect(rows.map((row) => row.split(' | ').length)).toEqual([6, 6, 6]);
  expect(body).not.toContain('\u001b');
});
