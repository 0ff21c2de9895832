import type { Git } from './git.ts';
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
  await git.run([...settings, 'read-tree', '--reset', '-u', tree], { ...inWorktree(place), effect });
}
