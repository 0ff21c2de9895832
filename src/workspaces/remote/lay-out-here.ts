import { join } from 'node:path';
import type { RepositoryOrigin } from '../contract.ts';
import { inWorktree, leadsTo, readLink, ownPlace, type Git, type WorktreePlace } from '../git/index.ts';
import type { Kept } from './keep.ts';

/**
 * Puts the files that came home in the place of those in the mirror, which were kept as the tree `from`. HEAD moves along, with
 * its branch if it is on one. What git has noted for this worktree stays.
 */
export async function layOutHere(
  git: Git,
  mirror: Mirror,
  { from, kept }: { readonly from: string; readonly kept: Kept },
): Promise<void> {
  const setting = inWorktree(await worktreeOf(mirror));
  // The index holds what is there, so that what did not come is removed.
  await git.run(['read-tree', '--reset', from], { ...setting, effect: 'mirror-read' });
  await git.run(['read-tree', '--reset', '-u', kept.tree], { ...setting, effect: 'mirror-filled' });
  await git.run(['update-ref', 'HEAD', kept.head], { ...setting, effect: 'mirror-moved' });
  await git.run(['read-tree', '--reset', 'HEAD'], { ...setting, effect: 'mirror-settled' });
}

/** Adds the ignored files that came home: with these, all that was in the place is in the mirror. */
export async function addIgnoredHere(git: Git, mirror: Mirror, tree: string): Promise<void> {
  const worktree = await worktreeOf(mirror);
  const setting = inWorktree(worktree, join(worktree.gitDir, 'piton-index-ignored'));
  await git.run(['read-tree', tree], setting);
  await git.run(['checkout-index', '--all', '--force', '--quiet'], { ...setting, effect: 'mirror-ignored' });
}

interface Mirror {
  readonly known: { readonly path: string };
  readonly repository: RepositoryOrigin;
}

async function worktreeOf({ known, repository: { commonDir } }: Mirror): Promise<WorktreePlace> {
  const path = await ownPlace(known.path);
  const link = await readLink(path);
  const isOurs = link.type === 'linked' && (await leadsTo({ commonDir }, link.gitDir, path));
  if (!isOurs) throw new Error(`${path} is no worktree of ${commonDir}`);
  return { path, gitDir: link.gitDir, commonDir };
}
