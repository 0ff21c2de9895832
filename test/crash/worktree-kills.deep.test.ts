import { expect, test } from 'vitest';
import { harmDoneToRepository, solvedAfterKill } from './worktree-kills.ts';

test('a driver killed right before every other kind of effect on git: trees, branches and the checkout are as if nothing had happened', async () => {
  expect(await harmDoneToRepository('others')).toEqual([]);
});

test.each(['before:git.head-placed', 'before:git.laid-out', 'engine:after-integrate#2'])(
  'a driver killed at %s, while a conflict is left for the agent: the agent is asked, and what others have made stays',
  async (place) => {
    expect(await solvedAfterKill(place)).toEqual({
      outputs: { one: 'o', two: 't' },
      solved: 'both',
      others: 'of one',
    });
  },
);
