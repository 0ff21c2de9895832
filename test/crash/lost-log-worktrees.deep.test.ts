import { expect, test } from 'vitest';
import { allDamagesOf, flowNames, harmDoneBy, inWorktrees } from './lost-log.ts';

test.each(flowNames.filter((flow) => inWorktrees.has(flow)))(
  'whatever happens to the log, in worktrees: %s',
  async (flow) => expect(await harmDoneBy({ flow, isMirrored: false }, allDamagesOf)).toEqual([]),
);
