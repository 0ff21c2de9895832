import { expect, test } from 'vitest';
import { harmDoneByCalls, isPolling } from './failing-disk.ts';

test('whichever call in the life of two attempts fails, the exit record decides', async () => {
  const isChosen = (call: string): boolean => !isPolling(call);
  expect(await harmDoneByCalls({ codes: ['EIO'], isChosen })).toEqual([]);
});

test.each(['ENOSPC', 'EMFILE'])(
  'whichever kind of call fails with %s, the exit record decides',
  async (code) => {
    const isChosen = (call: string, isFirst: boolean): boolean => isFirst && !isPolling(call);
    expect(await harmDoneByCalls({ codes: [code], isChosen })).toEqual([]);
  },
);
