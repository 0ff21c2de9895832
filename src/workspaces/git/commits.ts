import type { Git } from './git.ts';
import { gitFailureReason } from './git-failures.ts';
import { readObjects } from './objects.ts';
import { inRepository, inWorktree, type RepositoryPlace, type WorktreePlace } from './places.ts';

/** Says in every commit of Piton's where it comes from; it is read again after a crash. */
export interface Trailers {
  readonly run: string;
  readonly task: string;
  readonly attempt: string;
  readonly seq: number;
}

export interface CommitOrder {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly trailers: Trailers;
  /** The date of the commit. Given, not read from the clock: the same order makes the same commit when it is carried out again. */
  readonly at: number;
}

export async function writeCommit(
  git: Git,
  repository: RepositoryPlace,
  order: CommitOrder,
): Promise<string> {
  const parents = order.parents.flatMap((parent) => ['-p', parent]);
  const args = ['commit-tree', order.tree, ...parents, '-F', '-'];
  const { cwd, env } = inRepository(repository);
  const options = { cwd, input: commitText(order), effect: 'commit-written' };
  const dated = { ...env, ...datesOf(order.at) };
  try {
    const asUser = ['-c', 'user.useConfigOnly=true', ...args];
    return (await git.run(asUser, { ...options, env: dated })).stdout.trim();
  } catch (error) {
    if (gitFailureReason(error) !== 'no-identity') throw error;
    return (await git.run(args, { ...options, env: { ...dated, ...ownIdentity } })).stdout.trim();
  }
}

const ownIdentity = {
  GIT_AUTHOR_NAME: 'Piton',
  GIT_AUTHOR_EMAIL: 'piton@localhost',
  GIT_COMMITTER_NAME: 'Piton',
  GIT_COMMITTER_EMAIL: 'piton@localhost',
};

function datesOf(at: number): Record<string, string> {
  const date = `@${Math.floor(at / 1000)} +0000`;
  return { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
}

function commitText({ message, trailers }: CommitOrder): string {
  return `${message.trimEnd()}\n\n${trailerLines(trailers)}\n`;
}

export function trailerLines({ run, task, attempt, seq }: Trailers): string {
  const values = { 'Piton-Run': run, 'Piton-Task': task, 'Piton-Attempt': attempt, 'Piton-Seq': String(seq) };
  return Object.entries(values)
    .map(([name, value]) => `${name}: ${oneLine(value)}`)
    .join('\n');
}

/** A line break in a name would end the trailer, or begin a forged one. */
export function oneLine(value: string): string {
  return value.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

export interface CommitFacts {
  readonly tree: string;
  readonly parents: readonly string[];
  /** Of its last trailers, if it is a commit of Piton's. */
  readonly attempt: string | undefined;
  readonly seq: number | undefined;
  /** The first line of its message. */
  readonly subject: string;
  /** When it was committed. */
  readonly at: number;
}

export async function readCommit(
  git: Git,
  repository: RepositoryPlace,
  commit: string,
): Promise<CommitFacts> {
  const args = ['cat-file', 'commit', commit];
  const { stdout } = await git.run(args, inRepository(repository));
  return factsIn(stdout);
}

function factsIn(text: string): CommitFacts {
  const end = text.indexOf('\n\n');
  const header = text.slice(0, end);
  const paragraph = text.slice(end).trimEnd().split('\n\n').at(-1)!;
  const seq = /^Piton-Seq: (\d+)$/m.exec(paragraph)?.[1];
  return {
    tree: /^tree (\S+)$/m.exec(header)![1]!,
    parents: [...header.matchAll(/^parent (\S+)$/gm)].map(([, parent]) => parent!),
    attempt: /^Piton-Attempt: (.+)$/m.exec(paragraph)?.[1],
    seq: seq === undefined ? undefined : Number(seq),
    subject: text.slice(end + 2).split('\n', 1)[0]!,
    at: Number(/^committer .* (\d+) [+-]\d+$/m.exec(header)![1]) * 1000,
  };
}

/** What a worktree's HEAD and a ref point to, asked at once; undefined where there is no commit. */
export async function readTips(
  git: Git,
  worktree: WorktreePlace,
  ref: string,
): Promise<{ readonly head: Tip | undefined; readonly tip: Tip | undefined }> {
  const found = await readObjects(git, inWorktree(worktree), ['HEAD^{commit}', `${ref}^{commit}`]);
  const [head, tip] = found.map(
    (one) => one && { commit: one.name, ...factsIn(one.content.toString('utf8')) },
  );
  return { head, tip };
}

export interface Tip extends CommitFacts {
  readonly commit: string;
}

export interface Ancestry {
  readonly ancestor: string;
  readonly of: string;
  /** The repository may not have it: then it is none. */
  readonly mayBeMissing?: boolean;
}

export async function isAncestor(
  git: Git,
  repository: RepositoryPlace,
  { ancestor, of, mayBeMissing = false }: Ancestry,
): Promise<boolean> {
  if (ancestor === of) return true;
  const args = ['merge-base', '--is-ancestor', ancestor, of];
  const okCodes = mayBeMissing ? [0, 1, 128] : [0, 1];
  return (await git.run(args, { ...inRepository(repository), okCodes })).code === 0;
}

/** Whether all these commits, as far as they are there, are contained in the holders. */
export async function areContained(
  git: Git,
  repository: RepositoryPlace,
  { commits, holders }: { readonly commits: readonly string[]; readonly holders: readonly string[] },
): Promise<boolean> {
  const left = commits.filter((commit) => !holders.includes(commit));
  if (left.length === 0) return true;
  const lines = [...left, ...holders.map((holder) => `^${holder}`)];
  const options = { ...inRepository(repository), input: `${lines.join('\n')}\n` };
  const args = ['rev-list', '--ignore-missing', '--max-count=1', '--stdin'];
  return (await git.run(args, options)).stdout === '';
}

/** Of many commits, those that none of the others contains: a ref to each of them keeps all. */
export async function independentCommits(
  git: Git,
  repository: RepositoryPlace,
  commits: Iterable<string>,
): Promise<readonly string[]> {
  const present = await presentCommits(git, repository, new Set(commits));
  if (present.length < 2) return present;
  const lines = present.flatMap((commit) => [commit, `^${commit}^@`]);
  const options = { ...inRepository(repository), input: `${lines.join('\n')}\n` };
  const { stdout } = await git.run(['rev-list', '--stdin'], options);
  return stdout.split('\n').filter((line) => line !== '');
}

/** A reflog may name commits that a garbage collection has taken long ago. */
async function presentCommits(
  git: Git,
  repository: RepositoryPlace,
  commits: ReadonlySet<string>,
): Promise<readonly string[]> {
  if (commits.size === 0) return [];
  const args = ['cat-file', '--batch-check=%(objectname) %(objecttype)'];
  const options = { ...inRepository(repository), input: `${[...commits].join('\n')}\n` };
  const { stdout } = await git.run(args, options);
  return [...stdout.matchAll(/^(\S+) commit$/gm)].map(([, commit]) => commit!);
}

/** Where the histories of two commits meet; undefined: nowhere. */
export async function mergeBaseOf(
  git: Git,
  repository: RepositoryPlace,
  [one, other]: readonly [string, string],
): Promise<string | undefined> {
  return git.ask(['merge-base', one, other], inRepository(repository));
}
