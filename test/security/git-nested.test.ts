import { expect, test } from 'vitest';
import { plantAt, plantBehindGitlink, plantLink } from './git-nested.ts';

test('a repository that was planted in a worktree starts nothing, and is kept file by file', async () => {
  expect(await plantAt('sub')).toBe('');
});

test('a repository that was planted in a worktree starts nothing behind a gitlink', async () => {
  expect(await plantBehindGitlink()).toBe('');
});

test('a link to a repository elsewhere is data', async () => {
  expect(await plantLink('gitdir')).toEqual({ isChanged: false, isTaken: false });
});
