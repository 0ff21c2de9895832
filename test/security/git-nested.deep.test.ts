import { expect, test } from 'vitest';
import { plantAt, plantLink } from './git-nested.ts';

test.for(['src', 'dist/deep'])(
  'a repository that was planted in a worktree starts nothing: %s',
  async (where) => {
    expect(await plantAt(where)).toBe('');
  },
);

test.for(['symbolic link', 'commondir', 'alternates'] as const)(
  'a link to a repository elsewhere is data: by %s',
  async (link) => {
    expect(await plantLink(link)).toEqual({ isChanged: false, isTaken: false });
  },
);
