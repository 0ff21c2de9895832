import type { Git } from './git.ts';
import { inWorktree, splitAtZeros, type WorktreePlace } from './places.ts';

/** Those of the paths that are ignored, whether anything is there or not; a folder ends with a slash. */
export async function findIgnored(
  git: Git,
  worktree: WorktreePlace,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const args = ['check-ignore', '--no-index', '-z', '--stdin'];
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(''));
  const { stdout } = await git.run(args, { ...inWorktree(worktree), input, okCodes: [0, 1] });
  return new Set(splitAtZeros(stdout));
}
