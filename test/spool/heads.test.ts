import { expect, test } from 'vitest';
import { LocalHeads } from '../../src/spool/local/heads.ts';
import type { JournalHead } from '../../src/spool/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function head(seq: number, letter: string): JournalHead {
  return { seq, hash: letter.repeat(64) };
}

test('whoever was stopped in a repair does not take back what another has recorded since', async () => {
  const folder = temporaryFolder();
  const [stopped, other] = [0, 1].map(
    () => new LocalHeads(folder, { store: 'piton.db', isSynced: false }),
  ) as [LocalHeads, LocalHeads];
  const lost = head(8, 'a');
  await other.raise('run', lost);
  // Both know of the repair, by its commit.
  await other.replace('run', head(4, 'b'), lost);
  await other.raise('run', head(6, 'c'));

  await stopped.replace('run', head(4, 'b'), lost);
  expect(await stopped.read('run')).toEqual(head(6, 'c'));
});
