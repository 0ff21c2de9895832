import { readRef, runBranch, type Git } from '../git/index.ts';
import type { RunMerge } from '../delivery-contract.ts';
import { branchMissing, nothingToDeliver } from './refusals.ts';

/** The branch of a run that has something to hand over. */
export interface RunTip {
  readonly ref: string;
  /** Its name, for people. */
  readonly name: string;
  readonly tip: string;
}

/** Throws `NOTHING_TO_DELIVER`. */
export async function tipOfRun(
  git: Git,
  { repository, account: { run } }: Pick<RunMerge, 'repository' | 'account'>,
): Promise<RunTip> {
  const ref = runBranch(run);
  const name = ref.replace('refs/heads/', '');
  const tip = await readRef(git, repository, ref);
  if (tip === undefined) throw branchMissing(run, name);
  if (tip === repository.base) throw nothingToDeliver(run, name);
  return { ref, name, tip };
}
