import { commitsOf, surveyWorktree, type ArchiveOrder } from './archive-content.ts';
import type { ArchiveManifest } from './archive-manifest.ts';
import { writeListing } from './archive-objects.ts';
import { writeCommit } from './write-commit.ts';
import type { Git } from './git.ts';
import { archiveRef } from './names.ts';
import type { RepositoryPlace } from './places.ts';
import { moveRef } from './refs.ts';

export interface Archive {
  readonly ref: string;
  readonly commit: string;
  readonly manifest: ArchiveManifest;
}

/** Puts all that would be lost with the worktree into one commit under one ref. No file of the worktree changes. */
export async function archiveWorktree(git: Git, order: ArchiveOrder): Promise<Archive> {
  const { worktree, trailers } = order;
  const manifest = await surveyWorktree(git, order);
  const tree = await writeListing(git, worktree, manifest);
  const message = `Archive of the workspace of ${trailers.task}`;
  const commit = await writeCommit(git, worktree, { ...order, message, tree, parents: parentsOf(manifest) });
  const ref = archiveRef(trailers.run, trailers.task, order.at);
  await setRef(git, worktree, { ref, commit });
  return Object.freeze({ ref, commit, manifest });
}

export interface BranchArchive {
  readonly branch: string;
  readonly tip: string;
  readonly at: number;
  readonly run?: string;
}

/** The same for a branch alone; where the run is not given, it is known by the name of the branch at most. */
export async function archiveBranch(
  git: Git,
  repository: RepositoryPlace,
  { branch, tip, at, ...owner }: BranchArchive,
): Promise<string> {
  const [named = 'unknown', task = 'branch'] = branch.split('/').slice(3);
  const { run = named } = owner;
  const tree = { head: tip, branch, files: tip, index: null, commits: [tip] };
  const manifest: ArchiveManifest = { version: 2, ...tree, siblings: [], nested: [], leftOut: [] };
  const listing = await writeListing(git, repository, manifest);
  const trailers = { run, task, attempt: 'branch', seq: 0 };
  const order = { tree: listing, parents: [tip], message: `Archive of ${branch}`, trailers, at };
  const commit = await writeCommit(git, repository, order);
  const ref = archiveRef(run, task, at);
  await setRef(git, repository, { ref, commit });
  return ref;
}

/** An archive keeps commits by being their child. */
export function parentsOf(manifest: ArchiveManifest): readonly string[] {
  return [...new Set([manifest, ...manifest.siblings].flatMap(commitsOf))];
}

/** The name holds the time, so what is there is an earlier try at the same archive. */
async function setRef(
  git: Git,
  repository: RepositoryPlace,
  { ref, commit }: { readonly ref: string; readonly commit: string },
): Promise<void> {
  const result = await moveRef(git, repository, { ref, to: commit, from: undefined });
  if (result.type === 'conflict') await moveRef(git, repository, { ref, to: commit, from: result.actual });
}
