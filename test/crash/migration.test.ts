import { expect, test } from 'vitest';
import { played } from '../support/scripted-place.ts';
import { migrate, type Migration } from './migration.ts';

const ofCommands: Migration = { files: 8, pool: 3, kills: 1, work: (run) => ({ run }) };
const ofAgents: Migration = {
  files: 4,
  pool: 2,
  kills: 1,
  work: (run) => played([[{ run }, { answer: 'migrated' }]], { check: '! grep -c old src/${{ item }}.txt' }),
};

test.each([
  ['8 files with a pool of 3, killed once', ofCommands],
  ['4 files by agents whose work is checked, with a pool of 2, killed once', ofAgents],
])(
  'a migration of %s: never more worktrees than the pool has, each file once, one branch with all of them',
  async (_, migration) => {
    expect(await migrate(migration)).toBe(migration.pool);
  },
);
