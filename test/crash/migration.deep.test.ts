import { expect, test } from 'vitest';
import { migrate } from './migration.ts';

test('a migration of 200 files with a pool of 8, killed five times: never more worktrees than the pool has, each file once, one branch with all of them', async () => {
  expect(await migrate({ files: 200, pool: 8, kills: 5, work: (run) => ({ run }) })).toBe(8);
});
