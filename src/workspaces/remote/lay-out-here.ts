import { join } from 'node:path';
import { inWorktree, readLink, type Git, type WorktreePlace } from '../git/index.ts';
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
  const setting = inWorktree(await mirrorAt(known.path));
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
  const mirror = await mirrorAt(known.path);
  const setting = inWorktree(mirror, join(mirror.gitDir, 'piton-index-ignored'));
  await git.run(['read-tree', tree], setting);
  await git.run(['checkout-index', '--all', '--force', '--quiet'], { ...setting, effect: 'mirror-ignored' });
}

async function mirrorAt(path: string): Promise<Omit<WorktreePlace, 'commonDir'>> {
  const link = await readLink(path);
  if (link.type !== 'linked') throw new Error(`${path} is no worktree`);
  return { path, gitDir: link.gitDir };
}
