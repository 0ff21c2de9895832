import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from './git.ts';
import { ownIndexTree } from './own-index.ts';
import { inWorktree, splitAtZeros, type WorktreePlace } from './places.ts';

/** What somebody has begun with git and not brought to its end. */
export type UnfinishedOperation =
  | 'rebase'
  | 'merge'
  | 'cherry-pick'
  | 'revert'
  | 'bisect'
  /** Conflicts without an operation, as an unstash leaves them. */
  | 'conflict';

const signs: readonly (readonly [string, UnfinishedOperation])[] = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
];

export interface Unfinished {
  readonly operation: UnfinishedOperation;
  readonly unmerged: readonly string[];
}

export async function findUnfinished(git: Git, place: WorktreePlace): Promise<Unfinished | undefined> {
  const unmerged = await findUnmerged(git, place);
  for (const [file, operation] of signs) {
    if (await isThere(join(place.gitDir, file))) return { operation, unmerged };
  }
  return unmerged.length === 0 ? undefined : { operation: 'conflict', unmerged };
}

async function findUnmerged(git: Git, place: WorktreePlace): Promise<readonly string[]> {
  if ((await ownIndexTree(git, place)) !== undefined) return [];
  const { stdout } = await git.run(
    ['diff', '--name-only', '--diff-filter=U', '--ignore-submodules', '-z'],
    inWorktree(place),
  );
  return splitAtZeros(stdout);
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
