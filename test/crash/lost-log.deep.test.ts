import { expect, test } from 'vitest';
import { allDamagesOf, flowNames, harmDoneBy } from './lost-log.ts';

const trials = flowNames.flatMap((flow) => [false, true].map((isMirrored) => ({ flow, isMirrored })));

test.each(trials)('whatever happens to the log: $flow, with a mirror: $isMirrored', async (trial) => {
  expect(await harmDoneBy(trial, allDamagesOf)).toEqual([]);
});
