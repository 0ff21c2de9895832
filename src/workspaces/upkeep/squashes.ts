import {
  findDelivering,
  inRepository,
  listRefs,
  mergeBaseOf,
  mergeTrees,
  readCommit,
  writeCommit,
  type Git,
  type RepositoryPlace,
} from '../git/index.ts';

export interface Squashed {
  readonly run: string;
  readonly tip: string;
  /** The branch that it was handed over to, if that is known. */
  readonly into: string | undefined;
}

/** A commit of the user's that has all that a branch has changed, though none of its commits. undefined: nobody can tell. */
export async function findSquash(
  git: Git,
  repository: RepositoryPlace,
  squashed: Squashed,
): Promise<string | undefined> {
  const { tip, into } = squashed;
  const named = await findDelivering(git, repository, { tip, among: [...usersBranches, `^${tip}`] });
  if (named !== undefined || into === undefined) return named;
  // A service that squashes a pull request says nothing of the kind: what has been changed has to tell.
  for (const target of await targetsOf(git, repository, into))
    if (
      (await addsNothing(git, repository, { tip, target })) ||
      (await isSame(git, repository, { ...squashed, target }))
    )
      return target;
  return undefined;
}

const usersBranches = [
  '--exclude=piton/*',
  '--exclude=piton-tasks/*',
  '--branches',
  '--exclude=*/piton/*',
  '--exclude=*/piton-tasks/*',
  '--remotes',
];

/** The branch of that name here, and in remote repositories as they were last fetched. */
async function targetsOf(git: Git, repository: RepositoryPlace, into: string): Promise<readonly string[]> {
  const refs = [...(await listRefs(git, repository))];
  const names = refs.filter(([ref]) => ref === `refs/heads/${into}` || isRemote(ref, into));
  return [...new Set(names.map(([, commit]) => commit))];
}

function isRemote(ref: string, into: string): boolean {
  return ref.startsWith('refs/remotes/') && ref.replace(/^refs\/remotes\/[^/]+\//, '') === into;
}

interface Sides {
  readonly tip: string;
  readonly target: string;
}

/** Merged once more, it would change nothing. */
async function addsNothing(git: Git, repository: RepositoryPlace, { tip, target }: Sides): Promise<boolean> {
  const merge = await mergeTrees(git, { repository, ours: target, theirs: tip });
  return merge.type === 'tree' && merge.tree === (await readCommit(git, repository, target)).tree;
}

/** One commit there changes the very same, whatever was made of it since. */
async function isSame(
  git: Git,
  repository: RepositoryPlace,
  { run, tip, target }: Squashed & Sides,
): Promise<boolean> {
  const base = await mergeBaseOf(git, repository, [target, tip]);
  if (base === undefined) return false;
  const { tree } = await readCommit(git, repository, tip);
  const trailers = { run, task: 'branch', attempt: 'squash', seq: 0 };
  // No ref leads to it: it is only compared with.
  const message = 'All that a run has changed';
  const squash = await writeCommit(git, repository, { tree, parents: [base], message, trailers, at: 0 });
  const { stdout } = await git.run(['cherry', target, squash], inRepository(repository));
  return stdout.startsWith('- ');
}
