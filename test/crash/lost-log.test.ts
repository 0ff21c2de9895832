import { expect, test } from 'vitest';
import { harmDoneBy, someDamagesOf } from './lost-log.ts';

test.each(['diamond', 'worktrees'] as const)(
  'of %s no command begins again whose end the log has lost, and after a repair it ends as if nothing was lost',
  async (flow) => {
    expect(await harmDoneBy({ flow, isMirrored: false }, someDamagesOf)).toEqual([]);
  },
);
