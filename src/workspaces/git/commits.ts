import { basename } from 'node:path';
import { PitonError } from '../../base/index.ts';
import type { Git } from './git.ts';
import { findObjects, readObjects } from './objects.ts';
import { inWorktree, type RepositoryPlace, type WorktreePlace } from './places.ts';

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

/** The message of a commit, as it is written. */
export function commitText({ message, trailers }: CommitOrder): string {
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
  const facts = await findCommit(git, repository, commit);
  if (facts !== undefined) return facts;
  throw new PitonError('GIT_FAILED', `There is no commit ${commit} in ${repository.commonDir}.`, {
    reason: 'other',
    commit,
    remedy: 'If this is another clone, or an older copy: bring that commit back, then `piton retry`.',
  });
}

/** undefined: the repository does not have it. */
export async function findCommit(
  git: Git,
  repository: RepositoryPlace,
  commit: string,
): Promise<CommitFacts | undefined> {
  return (await findCommits(git, repository, [commit]))[0];
}

/** In the order of what was asked for. */
export async function findCommits(
  git: Git,
  repository: RepositoryPlace,
  commits: readonly string[],
): Promise<readonly (CommitFacts | undefined)[]> {
  const found = await readObjects(
    git,
    repository,
    commits.map((commit) => `${commit}^{commit}`),
  );
  return found.map((one) => one && factsIn(one.content.toString('utf8')));
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
  const found = await readObjects(git, worktree, [`${headOf(worktree)}^{commit}`, `${ref}^{commit}`]);
  const [head, tip] = found.map(
    (one) => one && { commit: one.name, ...factsIn(one.content.toString('utf8')) },
  );
  return { head: head ?? (await readHeadAlone(git, worktree)), tip };
}

/** undefined: there is no commit at its HEAD. */
export async function readHead(git: Git, worktree: WorktreePlace): Promise<string | undefined> {
  const [head] = await findObjects(git, worktree, [`${headOf(worktree)}^{commit}`]);
  return head?.name ?? askHead(git, worktree);
}

export async function readHeadTree(git: Git, worktree: WorktreePlace): Promise<string | undefined> {
  const [tree] = await findObjects(git, worktree, [`${headOf(worktree)}^{tree}`]);
  return tree?.name;
}

/** The HEAD of a worktree, as one names it from anywhere in the repository. */
function headOf({ gitDir, commonDir }: WorktreePlace): string {
  return gitDir === commonDir ? 'HEAD' : `worktrees/${basename(gitDir)}/HEAD`;
}

/** Asked in the worktree itself: before it is taken for true that there is none. */
async function askHead(git: Git, worktree: WorktreePlace): Promise<string | undefined> {
  return git.ask(['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'], inWorktree(worktree));
}

async function readHeadAlone(git: Git, worktree: WorktreePlace): Promise<Tip | undefined> {
  const commit = await askHead(git, worktree);
  return commit === undefined ? undefined : { commit, ...(await readCommit(git, worktree, commit)) };
}

export interface Tip extends CommitFacts {
  readonly commit: string;
}
