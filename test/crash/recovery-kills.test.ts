import { expect, test } from 'vitest';
import { killRecovery } from './recovery-kills.ts';

test('for-each: a run whose recovery is killed at the same place twice over ends as if nothing had happened', async () => {
  const recovery = { shape: 'for-each', death: 'after:task.succeeded#4', places: 6 } as const;
  expect(await killRecovery({ ...recovery, choose: (same) => [same.at(-1)!] })).toEqual([]);
});
