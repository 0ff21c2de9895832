/** Lives the lives of worktrees, and says how it ended. */
import { liveInWorktrees, type WorktreeLives } from '../worktree-life.ts';

try {
  await liveInWorktrees(JSON.parse(process.argv[2]!) as WorktreeLives);
  console.log('lived');
} catch (error) {
  console.log(`failed: ${String(error)}`);
  process.exitCode = 1;
}
