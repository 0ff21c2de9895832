import { describe, expect, test } from 'vitest';
import { harmDoneInRecovery, recoveries } from './command-recovery.ts';

describe('a driver killed anywhere else while it recovers commands', () => {
  test.for(recoveries)('that are %s: the next one goes on, and each ran exactly once', async (recovery) => {
    expect(await harmDoneInRecovery(recovery, 'others')).toEqual([]);
  });
});
