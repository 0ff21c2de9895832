import { expect, test } from 'vitest';
import { allDamagesOf, flowNames, harmDoneBy, inWorktrees, type LogTrial } from './lost-log.ts';

const trials: readonly LogTrial[] = [
  ...flowNames.filter((flow) => !inWorktrees.has(flow)).map((flow) => ({ flow, isMirrored: false })),
  // A mirror notices in another way, whatever the workflow.
  ...(['chain', 'agents'] as const).map((flow) => ({ flow, isMirrored: true })),
];

test.each(trials)('whatever happens to the log: $flow, with a mirror: $isMirrored', async (trial) => {
  expect(await harmDoneBy(trial, allDamagesOf)).toEqual([]);
});
