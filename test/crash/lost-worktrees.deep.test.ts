import { expect, test } from 'vitest';
import { deletedFromPool, restoredAfterKill } from './lost-worktrees.ts';

test.each([
  ['after its work was brought in', 'after:task.succeeded', []],
  ['before its work was brought in', 'after:work.finished', []],
])(
  'a place of a pool that was deleted %s is set up again before the next item works in it',
  async (_, place, forgetting) => {
    expect(await deletedFromPool(place, forgetting)).toEqual({
      ledger: ['setup', 'setup'],
      files: ['x.txt', 'y.txt', 'z.txt'],
    });
  },
);

test.each(['after:git.worktree-registered', 'after:git.marker-written'])(
  'a worktree that was deleted with finished work, and whose restoring is killed at %s, is not taken for the work',
  async (place) => {
    expect(await restoredAfterKill(place)).toEqual(['one.txt', 'two.txt']);
  },
);
