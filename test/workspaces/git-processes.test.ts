import { expect, test } from 'vitest';
import { gitsOfOneTask } from '../../bench/loads/git-processes.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** How often those that stay are started anew depends on how fast this machine is at the moment. */
const staying = /^(cat-file --batch-command|update-ref --stdin|hash-object .*--stdin-paths)/;

test('one task of an agent in a worktree costs few gits: edit, check, merge, clean', async () => {
  const gits = [...(await gitsOfOneTask(temporaryFolder())).values()].flat();
  const stayed = new Set(gits.flatMap((git) => staying.exec(git)?.[1] ?? []));
  const others = gits.filter((git) => !staying.test(git));
  expect([...stayed].sort()).toEqual([
    'cat-file --batch-command',
    expect.stringMatching(/^hash-object/),
    'update-ref --stdin',
  ]);
  expect(stayed.size + others.length).toBeLessThanOrEqual(20);
});
