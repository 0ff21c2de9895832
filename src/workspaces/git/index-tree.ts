import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../base/index.ts';
import type { Git } from './git.ts';
import { inWorktree, type WorktreePlace } from './places.ts';
import { assertPlainRecord } from './plain-record.ts';
import { temporaryIndex } from './temporary-index.ts';

/** What is staged, as a tree; undefined if it does not differ from HEAD, or has conflicts, whose sides are commits anyway. */
export async function writeIndexTree(git: Git, place: WorktreePlace): Promise<string | undefined> {
  await assertPlainRecord(place.gitDir);
  const copy = temporaryIndex(git, place);
  try {
    await copyFile(join(place.gitDir, 'index'), copy);
    const setting = inWorktree(place, copy);
    const { stdout: unmerged } = await git.run(['ls-files', '--unmerged', '-z'], setting);
    if (unmerged !== '') return undefined;
    const tree = (await git.run(['write-tree'], setting)).stdout.trim();
    const head = await git.ask(['rev-parse', '--quiet', '--verify', 'HEAD^{tree}'], setting);
    return tree === head ? undefined : tree;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  } finally {
    await rm(copy, { force: true });
  }
}
