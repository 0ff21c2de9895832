import { expect, test } from 'vitest';
import { harmDoneToRepository, solvedAfterKill } from './worktree-kills.ts';

test('a driver killed right before some effects on git: trees, branches and the checkout are as if nothing had happened', async () => {
  expect(await harmDoneToRepository('these')).toEqual([]);
});

test.each(['after:git.laid-out'])(
  'a driver killed at %s, while a conflict is left for the agent: the agent is asked, and what others have made stays',
  async (place) => {
    expect(await solvedAfterKill(place)).toEqual({
      outputs: { one: 'o', two: 't' },
      solved: 'both',
      others: 'of one',
    });
  },
);
