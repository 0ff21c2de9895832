import { isOwnRef, listRefs, runBranch, runTipRef, type Git, type RepositoryPlace } from '../git/index.ts';
import type { MergedBranch } from '../contract.ts';

/** Of the branches of these runs, those that nothing is lost with. Of each, the branch that holds it too is named. */
export async function findMergedBranches(
  git: Git,
  repository: RepositoryPlace,
  runs: readonly string[],
): Promise<readonly MergedBranch[]> {
  const refs = await listRefs(git, repository);
  const merged: MergedBranch[] = [];
  for (const run of runs) {
    // Whoever has deleted the branch by hand has left the other.
    const branch = [runBranch(run), runTipRef(run)].find((ref) => refs.has(ref));
    if (branch === undefined) continue;
    const tip = refs.get(branch)!;
    const into = await holderOf(git, repository, { branch, tip });
    if (into !== undefined) merged.push({ run, branch, tip, into });
  }
  return merged;
}

/** A branch of the user's that contains the tip; undefined if none does, or somebody has the branch checked out. */
export async function holderOf(
  git: Git,
  { commonDir }: RepositoryPlace,
  { branch, tip }: Pick<MergedBranch, 'branch' | 'tip'>,
): Promise<string | undefined> {
  const setting = { cwd: commonDir, env: { GIT_DIR: commonDir } };
  const checkedOut = await git.run(['for-each-ref', '--format=%(worktreepath)', branch], setting);
  if (checkedOut.stdout.trim() !== '') return undefined;
  const args = ['for-each-ref', `--contains=${tip}`, '--format=%(refname)', 'refs/heads/', 'refs/remotes/'];
  const { stdout } = await git.run(args, setting);
  return stdout.split('\n').find((ref) => ref !== '' && !isOfPiton(ref));
}

/** Also elsewhere: what was only pushed has not been taken by anybody yet. */
function isOfPiton(ref: string): boolean {
  return isOwnRef(ref.replace(/^refs\/remotes\/[^/]+\//, 'refs/heads/'));
}
