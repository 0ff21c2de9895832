import { expect, test } from 'vitest';
import { harmDoneByCalls } from './failing-disk.ts';

test('a disk that fails once makes no command fail and none run twice: the exit record decides', async () => {
  const isChosen = (call: string): boolean => /^(sync|datasync) (exit|stdout|attempt\.json)/.test(call);
  expect(await harmDoneByCalls({ codes: ['EIO'], isChosen })).toEqual([]);
});
