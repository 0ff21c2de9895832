import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findCommits } from './commits.ts';
import type { Git } from './git.ts';
import { inRepository, type RepositoryPlace } from './places.ts';

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
  if (ancestor === of || (await areNear(git, repository, { commits: [ancestor], holders: [of] })))
    return true;
  const args = ['merge-base', '--is-ancestor', ancestor, of];
  const okCodes = mayBeMissing ? [0, 1, 128] : [0, 1];
  return (await git.run(args, { ...inRepository(repository), okCodes })).code === 0;
}

/** Whether all these commits, as far as they are there, are contained in the holders. */
export async function areContained(
  git: Git,
  repository: RepositoryPlace,
  { commits, holders }: Containment,
): Promise<boolean> {
  const left = commits.filter((commit) => !holders.includes(commit));
  if (left.length === 0 || (await areNear(git, repository, { commits: left, holders }))) return true;
  const lines = [...left, ...holders.map((holder) => `^${holder}`)];
  const options = { ...inRepository(repository), input: `${lines.join('\n')}\n` };
  const args = ['rev-list', '--ignore-missing', '--max-count=1', '--stdin'];
  return (await git.run(args, options)).stdout === '';
}

export interface Containment {
  readonly commits: readonly string[];
  readonly holders: readonly string[];
}

/** So many commits are looked at one after the other; a git that finds out about any number costs as much. */
const nearby = 32;

/** What tells git of other parents than those that stand in a commit; a garbage collection takes what only these keep. */
const cuts = ['shallow', 'info/grafts'];

/** Whether all of them are found a few steps behind the holders. If not, they may still be contained in them. */
async function areNear(
  git: Git,
  repository: RepositoryPlace,
  { commits, holders }: Containment,
): Promise<boolean> {
  // Where history was cut off, a commit may name a parent that it does not keep.
  if (cuts.some((file) => existsSync(join(repository.commonDir, file)))) return false;
  const seen = new Set(holders);
  let front = [...seen];
  while (front.length > 0 && seen.size <= nearby) {
    const facts = await findCommits(git, repository, front);
    front = [...new Set(facts.flatMap((one) => one?.parents ?? []))].filter((parent) => !seen.has(parent));
    for (const parent of front) seen.add(parent);
    if (commits.every((commit) => seen.has(commit))) return true;
  }
  return false;
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
