import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../base/index.ts';
import type { Git } from './git.ts';
import { inRepository, type RepositoryPlace, type WorktreePlace } from './places.ts';
import { moveRef } from './refs.ts';

export interface BundleOrder {
  readonly place: WorktreePlace;
  /** Beyond what its refs lead to. */
  readonly commits: readonly string[];
  /** A folder that goes away with the worktree, should we be killed. */
  readonly scratch: string;
}

/** All of a repository in one file, lent to `use`. */
export async function withBundle<T>(
  git: Git,
  { place, commits, scratch }: BundleOrder,
  use: (file: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(scratch, 'piton-bundle-'));
  try {
    // A bundle holds only what has a name.
    for (const commit of commits) {
      await moveRef(git, place, { ref: `refs/piton/kept/${commit}`, to: commit, from: undefined });
    }
    const file = join(folder, 'bundle');
    // With several threads the same objects would make another file each time.
    const args = ['-c', 'pack.threads=1', 'bundle', 'create', '--quiet', file, '--all'];
    await git.run(args, { ...inRepository(place), effect: 'bundle-written' });
    return await use(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The commits at which a shallow clone ends; none, if it is whole. */
export async function readShallow({ commonDir }: RepositoryPlace): Promise<readonly string[]> {
  try {
    const text = await readFile(join(commonDir, 'shallow'), 'utf8');
    return text.split('\n').filter((line) => line !== '');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}
