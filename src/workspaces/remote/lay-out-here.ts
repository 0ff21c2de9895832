import { readLink, type Git } from '../git/index.ts';
import type { Kept } from './keep.ts';

/**
 * Puts the files that came home in the place of those in the mirror, which were kept as the tree `from`. HEAD moves along, with
 * its branch if it is on one. What git has noted for this worktree stays.
 */
export async function layOutHere(
  git: Git,
  { known }: { readonly known: { readonly path: string } },
  { from, kept }: { readonly from: string; readonly kept: Kept },
): Promise<void> {
  const link = await readLink(known.path);
  if (link.type !== 'linked') throw new Error(`${known.path} is no worktree`);
  const setting = { cwd: known.path, env: { GIT_DIR: link.gitDir, GIT_WORK_TREE: known.path } };
  // The index holds what is there, so that what did not come is removed.
  await git.run(['read-tree', '--reset', from], { ...setting, effect: 'mirror-read' });
  await git.run(['read-tree', '--reset', '-u', kept.tree], { ...setting, effect: 'mirror-filled' });
  await git.run(['update-ref', 'HEAD', kept.head], { ...setting, effect: 'mirror-moved' });
  await git.run(['read-tree', '--reset', 'HEAD'], { ...setting, effect: 'mirror-settled' });
}

/** Adds the ignored files that came home: with these, all that was in the place is in the mirror. */
export async function addIgnoredHere(
  git: Git,
  known: { readonly path: string },
  tree: string,
): Promise<void> {
  const link = await readLink(known.path);
  if (link.type !== 'linked') throw new Error(`${known.path} is no worktree`);
  const env = {
    GIT_DIR: link.gitDir,
    GIT_WORK_TREE: known.path,
    GIT_INDEX_FILE: `${link.gitDir}/piton-index-ignored`,
  };
  const setting = { cwd: known.path, env };
  await git.run(['read-tree', tree], setting);
  await git.run(['checkout-index', '--all', '--force', '--quiet'], { ...setting, effect: 'mirror-ignored' });
}
