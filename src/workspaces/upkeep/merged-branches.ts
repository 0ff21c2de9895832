import {
  checkoutsOf,
  inRepository,
  isOwnRef,
  listRefs,
  runBranch,
  runTipRef,
  type Git,
  type RepositoryPlace,
} from '../git/index.ts';
import type { MergedBranch, RunTaken } from '../upkeep-contract.ts';
import { findSquash } from './squashes.ts';

/** Of the branches of these runs, those that nothing is lost with. Of each, the branch that holds it too is named. */
export async function findMergedBranches(
  git: Git,
  repository: RepositoryPlace,
  runs: readonly RunTaken[],
): Promise<readonly MergedBranch[]> {
  const refs = await listRefs(git, repository);
  const merged: MergedBranch[] = [];
  for (const { run, into } of runs) {
    // Whoever has deleted the branch by hand has left the other.
    const branch = [runBranch(run), runTipRef(run)].find((ref) => refs.has(ref));
    if (branch === undefined) continue;
    const named = { run, branch, tip: refs.get(branch)! };
    const found = await mergedAs(git, repository, { named, into });
    if (found !== undefined) merged.push({ ...named, ...found });
  }
  return merged;
}

type NamedBranch = Pick<MergedBranch, 'run' | 'branch' | 'tip'>;

async function mergedAs(
  git: Git,
  repository: RepositoryPlace,
  { named, into }: { readonly named: NamedBranch; readonly into: string | undefined },
): Promise<Pick<MergedBranch, 'into' | 'squash'> | undefined> {
  const { holder, isCheckedOut } = await lookAtHolders(git, repository, named);
  if (isCheckedOut) return undefined;
  if (holder !== undefined) return { into: holder };
  const squash = await findSquash(git, repository, { ...named, into });
  if (squash === undefined) return undefined;
  const { holder: taker } = await lookAtHolders(git, repository, { ...named, tip: squash });
  return taker === undefined ? undefined : { into: taker, squash };
}

/** Whether nothing would be lost with it still: it may have been checked out, and its holder moved, since it was found. */
export async function isStillMerged(
  git: Git,
  repository: RepositoryPlace,
  merged: MergedBranch,
): Promise<boolean> {
  const { holder, isCheckedOut } = await lookAtHolders(git, repository, merged);
  if (isCheckedOut || merged.squash === undefined) return !isCheckedOut && holder !== undefined;
  const squash = await lookAtHolders(git, repository, { ...merged, tip: merged.squash });
  return squash.holder !== undefined;
}

interface Holders {
  /** A branch of the user's that contains the tip. */
  readonly holder: string | undefined;
  readonly isCheckedOut: boolean;
}

async function lookAtHolders(
  git: Git,
  repository: RepositoryPlace,
  { branch, tip }: Pick<MergedBranch, 'branch' | 'tip'>,
): Promise<Holders> {
  const args = ['for-each-ref', `--contains=${tip}`, '--format=%(refname)', 'refs/heads/', 'refs/remotes/'];
  const { stdout } = await git.run(args, inRepository(repository));
  return {
    holder: stdout.split('\n').find((ref) => ref !== '' && !isOfPiton(ref)),
    isCheckedOut: (await checkoutsOf(git, repository, branch)).length > 0,
  };
}

/** Also elsewhere: what was only pushed has not been taken by anybody yet. */
function isOfPiton(ref: string): boolean {
  return isOwnRef(ref.replace(/^refs\/remotes\/[^/]+\//, 'refs/heads/'));
}
