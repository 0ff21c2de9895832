import { expect, test } from 'vitest';
import { harmDoneByCalls, isPolling } from './failing-disk.ts';

test.each(['EIO', 'ENOSPC', 'EMFILE'])(
  'whichever call in the life of an attempt fails with %s, the exit record decides',
  async (code) => {
    expect(await harmDoneByCalls({ codes: [code], isChosen: (call) => !isPolling(call) })).toEqual([]);
  },
);
