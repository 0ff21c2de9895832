import {
  checkOut,
  findHidden,
  forgetCommits,
  inWorktree,
  moveRef,
  tidyRecord,
  type Git,
  type WorktreePlace,
} from '../git/index.ts';
import { tidyRefs } from './tidy-refs.ts';

export interface SlotReset {
  readonly run: string;
  /** That of the new owner, and where it begins. */
  readonly branch: string;
  readonly start: string;
}

/**
 * Makes a slot look as if it had just been made, apart from what git ignores: that is what its setup has brought. All else
 * that is in it was kept before, or nobody has worked in it yet.
 */
export async function resetSlot(git: Git, worktree: WorktreePlace, reset: SlotReset): Promise<void> {
  const { run, branch, start } = reset;
  const setting = inWorktree(worktree);
  await moveRef(git, worktree, { ref: branch, to: start, from: undefined });
  await git.run(['symbolic-ref', 'HEAD', branch], { ...setting, effect: 'head-placed' });
  await forgetCommits(worktree);
  await showAll(git, worktree);
  await checkOut(git, worktree, { tree: 'HEAD', effect: 'slot-checked-out' });
  await git.run(['clean', '-ffdq'], { ...setting, effect: 'slot-cleaned' });
  const former = (await tidyRecord(worktree.gitDir))?.former;
  if (former !== undefined)
    await tidyRefs(git, { run, repository: worktree, worktree: worktree.path, ...former });
}

/** Files whose changes git was told not to see would keep them. */
async function showAll(git: Git, worktree: WorktreePlace): Promise<void> {
  const hidden = await findHidden(git, worktree);
  if (hidden.length === 0) return;
  const input = Buffer.from(hidden.map((path) => `${path}\0`).join(''), 'latin1');
  for (const flag of ['--no-assume-unchanged', '--no-skip-worktree'])
    await git.run(['update-index', flag, '-z', '--stdin'], { ...inWorktree(worktree), input });
}
