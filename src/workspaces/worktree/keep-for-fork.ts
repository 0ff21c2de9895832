import { PitonError } from '../../base/index.ts';
import type { ForkOrder, RepositoryOrigin } from '../contract.ts';
import {
  findObjects,
  headOfRun,
  keepCommit,
  listRefs,
  runBranch,
  runTipRef,
  type Git,
} from '../git/index.ts';
import { assertFree } from './assert-free.ts';

/**
 * The branch of the fork, where that of the other run was, and refs to what was saved of tasks that have not ended. Whoever was killed in
 * between has left a branch at the very same commit, and goes on.
 */
export async function keepForFork(
  git: Git,
  repository: RepositoryOrigin,
  { run, tip, saved }: ForkOrder,
): Promise<void> {
  const { base } = repository;
  const refs = await listRefs(git, repository);
  const isOurs = [runBranch(run), runTipRef(run)].every((ref) => refs.get(ref) === (tip ?? base));
  if (!isOurs) await assertFree(git, repository, run);
  await assertThere(git, repository, [
    ...(tip === undefined ? [] : [tip]),
    ...saved.map(({ commit }) => commit),
  ]);
  await headOfRun(git, repository, { run, task: '', refs, tip, base });
  for (const { task, commit } of saved) await keepCommit(git, repository, { run, task, commit });
}

/** Before anything is made: what was saved on the way goes with the place of a task, and then with the garbage collection. */
async function assertThere(
  git: Git,
  repository: RepositoryOrigin,
  commits: readonly string[],
): Promise<void> {
  const found = await findObjects(git, repository, commits);
  const lost = commits.find((_, index) => found[index] === undefined);
  if (lost === undefined) return;
  const message = `Files of that checkpoint are not in the repository any more: git has removed ${lost}.`;
  throw new PitonError('CHECKPOINT_PRUNED', message, {
    commit: lost,
    remedy: 'Choose a checkpoint before the task began (before:<task>), or after it was merged.',
  });
}
