import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { effect as change, hasCode } from '../../base/index.ts';
import { findEntry } from '../files.ts';
import type { Git } from './git.ts';
import { keysName } from './names.ts';
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
  await lendKeys(place);
  const settings = pointers.flatMap((setting) => ['-c', setting]);
  const args = [...settings, 'read-tree', '--reset', '-u', tree];
  const own = {
    folders: [place.path, place.gitDir],
    isOwn: (file: string) => file === join(place.gitDir, 'index.lock'),
  };
  await withoutStaleLocks(git, own, () => git.run(args, { ...inWorktree(place), effect }));
}

/** git-crypt looks for its keys in the worktree's own folder only, and there are none. */
async function lendKeys({ gitDir, commonDir }: WorktreePlace): Promise<void> {
  const [keys, own] = [join(commonDir, keysName), join(gitDir, keysName)];
  if ((await findEntry(keys))?.isDirectory() !== true || (await findEntry(own)) !== undefined) return;
  await change('git.keys-lent', () =>
    symlink(keys, own).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    }),
  );
}
