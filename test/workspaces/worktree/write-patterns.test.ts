import { expect, test } from 'vitest';
import { matchesPattern } from '../../../src/model/patterns.ts';
import { mayWrite } from '../../../src/workspaces/worktree/write-patterns.ts';

test.each([
  ['src', ['src/a.ts', 'src/deep/b.ts', 'src'], ['srcs/a.ts', 'lib/src/a.ts', 'sr']],
  ['./src/', ['src/a.ts'], ['src.ts']],
  ['docs/*.md', ['docs/a.md', 'docs/.md'], ['docs/deep/a.md', 'docs/a.mdx', 'a.md']],
  ['**/*.md', ['a.md', 'docs/deep/a.md'], ['a.txt']],
  ['docs/**', ['docs/a', 'docs/deep/a.md'], ['docs', 'doc/a']],
  ['a?.ts', ['ab.ts'], ['a.ts', 'abc.ts', 'a/.ts']],
  ['{a,b}/c', ['a/c', 'b/c'], ['c/c', '{a,b}/c']],
  ['[ab].ts', ['a.ts', 'b.ts'], ['c.ts', '[ab].ts']],
  ['[!ab].ts', ['c.ts'], ['a.ts', '/.ts']],
  ['a.b', ['a.b'], ['axb']],
  ['a+(b)*', ['a+(b)', 'a+(b)c'], ['aab']],
  ['{a', ['{a'], ['a']],
  ['a[+-9]b', ['a+b', 'a.b', 'a5b'], ['a/b', 'acb']],
  ['a[!+-9]b', ['acb'], ['a/b', 'a5b']],
  ['a[+-\\^]b', ['a\\b', 'aZb'], ['a/b', 'a_b']],
  ['[z-a]', ['[z-a]'], ['b']],
  ['[.-9].ts', ['0.ts'], ['/.ts']],
  ['constructor*', ['constructor.ts'], ['function']],
  ['.', ['a', 'deep/b'], ['../a']],
])('the pattern %s', (pattern, allowed, refused) => {
  const isAllowed = mayWrite([pattern], '', matchesPattern);
  expect([...allowed, ...refused].filter(isAllowed)).toEqual(allowed);
});

test('patterns are read from the folder of the run, and one of several is enough', () => {
  const isAllowed = mayWrite(['src', 'README.md'], 'packages/ui', matchesPattern);
  expect(isAllowed('packages/ui/src/a.ts')).toBe(true);
  expect(isAllowed('packages/ui/README.md')).toBe(true);
  expect(isAllowed('src/a.ts')).toBe(false);
  expect(mayWrite(['.'], 'packages/ui', matchesPattern)('packages/core/a.ts')).toBe(false);
});
