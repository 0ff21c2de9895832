import { join } from 'node:path';
import type { Git } from './git.ts';
import { withoutStaleLocks } from './lock-files.ts';
import { inWorktree, type WorktreePlace } from './places.ts';

/**
 * Large files stay the pointers that git has of them: fetching them is the network's business, and whoever needs them says
 * `git lfs pull` in the setup.
 */
const pointers = ['filter.lfs.process=', 'filter.lfs.smudge=', 'filter.lfs.required=false'];

/** Makes the files and the index those of a commit or tree. Whatever is in their way is overwritten. */
export async function checkOut(
  git: Git,
  place: WorktreePlace,
  { tree, effect }: { readonly tree: string; readonly effect: string },
): Promise<void> {
  const settings = pointers.flatMap((setting) => ['-c', setting]);
  const args = [...settings, 'read-tree', '--reset', '-u', tree];
  const own = {
    folders: [place.path, place.gitDir],
    isOwn: (file: string) => file === join(place.gitDir, 'index.lock'),
  };
  await withoutStaleLocks(git, own, () => git.run(args, { ...inWorktree(place), effect }));
}
