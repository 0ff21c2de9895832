import {
  areContained,
  archivesOf,
  dropRefs,
  inRepository,
  keptRef,
  runBranch,
  savedRef,
  type Git,
  type RepositoryPlace,
} from '../git/index.ts';

export interface TidyOrder {
  readonly repository: RepositoryPlace;
  readonly run: string;
  readonly task: string;
  readonly branch: string;
  /** The folder of its worktree: that one may have the branch checked out, if it is about to go. */
  readonly worktree: string;
}

interface RefFacts {
  readonly commit: string;
  readonly tree: string;
  /** The folder of the worktree that has it checked out; '' if none has. */
  readonly at: string;
}

/** The refs that a task has, those that may hold its work, and the stash. */
export async function readTaskRefs(git: Git, order: TidyOrder): Promise<ReadonlyMap<string, RefFacts>> {
  const { run, task, branch, repository } = order;
  const kept = keptRef(run, task, '');
  const names = [branch, savedRef(branch), runBranch(run), archivesOf(run, task), kept, 'refs/stash'];
  const format = '%(objectname) %(refname)%01%(tree)%01%(worktreepath)';
  const { stdout } = await git.run(
    ['for-each-ref', `--format=${format}`, ...names],
    inRepository(repository),
  );
  const lines = stdout.split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const [name = '', tree = '', at = ''] = line.split('\u0001');
      const [commit = '', ref = ''] = name.split(' ');
      return [ref, { commit, tree, at }];
    }),
  );
}

/**
 * Deletes the branch of a task, and what was saved of it, if nothing is lost by that: its commits are in the branch of the run,
 * in an archive, or have refs of their own.
 */
export async function tidyRefs(git: Git, order: TidyOrder): Promise<void> {
  const refs = await readTaskRefs(git, order);
  const { branch, repository, worktree } = order;
  const [tip, saved] = [refs.get(branch), refs.get(savedRef(branch))];
  const holders = [...refs].filter(([ref]) => isHolder(order, ref)).map(([, { commit }]) => commit);
  const isHeld = async (facts: RefFacts | undefined): Promise<boolean> =>
    facts !== undefined && (await areContained(git, repository, { commits: [facts.commit], holders }));
  const isFree = tip?.at === '' || tip?.at === worktree;
  const isTipHeld = await isHeld(tip);
  const trees = [refs.get(runBranch(order.run)), tip].map((facts) => facts?.tree);
  const isSavedHeld =
    saved !== undefined &&
    (trees.includes(saved.tree) || (await isHeld(saved)) || (await isInHistory(git, order, { saved, refs })));
  await dropRefs(
    git,
    repository,
    new Map([
      ...(isTipHeld && isFree ? [[branch, tip!.commit] as const] : []),
      ...(isSavedHeld ? [[savedRef(branch), saved.commit] as const] : []),
    ]),
  );
}

/** Made to fit to what others made, its files are not those of the result any more, but those of a commit on the way there. */
async function isInHistory(
  git: Git,
  { run, repository }: TidyOrder,
  { saved, refs }: { readonly saved: RefFacts; readonly refs: ReadonlyMap<string, RefFacts> },
): Promise<boolean> {
  const tip = refs.get(runBranch(run));
  if (tip === undefined) return false;
  const args = ['log', '--format=%T', `--max-count=${longestHistory}`, tip.commit];
  const { stdout } = await git.run(args, inRepository(repository));
  return stdout.split('\n').includes(saved.tree);
}

/** What is older was made by others. */
const longestHistory = 1_000;

function isHolder({ run, task }: TidyOrder, ref: string): boolean {
  return (
    ref === runBranch(run) || ref.startsWith(archivesOf(run, task)) || ref.startsWith(keptRef(run, task, ''))
  );
}
