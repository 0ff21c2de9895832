import type { Git } from './git.ts';
import { inRepository, splitAtZeros, type RepositoryPlace } from './places.ts';

/** The files that differ between two commits, from the top of the repository. */
export async function pathsBetween(
  git: Git,
  repository: RepositoryPlace,
  [from, to]: readonly [string, string],
): Promise<readonly string[]> {
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--name-only', from, to];
  return splitAtZeros((await git.run(args, inRepository(repository))).stdout);
}
