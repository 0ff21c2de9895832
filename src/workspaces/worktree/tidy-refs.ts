import {
  areContained,
  archivesOf,
  checkoutsOf,
  dropRefs,
  findCommits,
  inRepository,
  keptRef,
  listRefs,
  readRefs,
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

/** What a ref points to. */
interface Tip {
  readonly commit: string;
  readonly tree: string;
}

/**
 * Deletes the branch of a task, and what was saved of it, if nothing is lost by that: its commits are in the branch of the run,
 * in an archive, or have refs of their own.
 */
export async function tidyRefs(git: Git, order: TidyOrder): Promise<void> {
  const { branch, repository, run } = order;
  const saved = savedRef(branch);
  const tips = await readTipsOf(git, repository, [branch, saved, runBranch(run)]);
  const dropped = new Map<string, string>();
  const tip = tips.get(branch);
  if (tip !== undefined && (await isFree(git, order)) && (await isHeld(git, order, { tip, tips })))
    dropped.set(branch, tip.commit);
  const kept = tips.get(saved);
  if (kept !== undefined && (await isSavedHeld(git, order, { tip: kept, tips })))
    dropped.set(saved, kept.commit);
  await dropRefs(git, repository, dropped);
}

async function readTipsOf(
  git: Git,
  repository: RepositoryPlace,
  refs: readonly string[],
): Promise<ReadonlyMap<string, Tip>> {
  const found = [...(await readRefs(git, repository, refs))];
  const facts = await findCommits(
    git,
    repository,
    found.map(([, commit]) => commit),
  );
  const tips = found.map(
    ([ref, commit], index) => [ref, { commit, tree: facts[index]?.tree ?? '' }] as const,
  );
  return new Map(tips);
}

async function isFree(git: Git, { repository, branch, worktree }: TidyOrder): Promise<boolean> {
  return (await checkoutsOf(git, repository, branch)).every((path) => path === worktree);
}

interface Held {
  readonly tip: Tip;
  readonly tips: ReadonlyMap<string, Tip>;
}

/** Most often the branch of the run holds it, and nothing else has to be looked for. */
async function isHeld(git: Git, order: TidyOrder, { tip, tips }: Held): Promise<boolean> {
  const { repository, run } = order;
  const commits = [tip.commit];
  const last = tips.get(runBranch(run));
  const holders = last === undefined ? [] : [last.commit];
  if (holders.length > 0 && (await areContained(git, repository, { commits, holders }))) return true;
  const others = await listHolders(git, order);
  return others.length > 0 && areContained(git, repository, { commits, holders: [...holders, ...others] });
}

async function listHolders(git: Git, { repository, run, task }: TidyOrder): Promise<readonly string[]> {
  const prefixes = [archivesOf(run, task), keptRef(run, task, '')];
  return [...(await listRefs(git, repository, ...prefixes)).values()];
}

async function isSavedHeld(git: Git, order: TidyOrder, held: Held): Promise<boolean> {
  const { tip: saved, tips } = held;
  const trees = [runBranch(order.run), order.branch].map((ref) => tips.get(ref)?.tree);
  return (
    trees.includes(saved.tree) || (await isHeld(git, order, held)) || (await isInHistory(git, order, held))
  );
}

/** Adapted to what others made, its files are not those of the result any more, but those of a commit on the way there. */
async function isInHistory(
  git: Git,
  { run, repository }: TidyOrder,
  { tip: saved, tips }: Held,
): Promise<boolean> {
  const tip = tips.get(runBranch(run));
  if (tip === undefined) return false;
  const args = ['log', '--format=%T', `--max-count=${longestHistory}`, tip.commit];
  const { stdout } = await git.run(args, inRepository(repository));
  return stdout.split('\n').includes(saved.tree);
}

/** What is older was made by others. */
const longestHistory = 1_000;
