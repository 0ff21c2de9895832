import { surveyWorktree, type ArchiveOrder } from './archive-content.ts';
import { parentsOf } from './archive.ts';
import {
  readManifest,
  type ArchivedTree,
  type ArchiveManifest,
  type NestedArchive,
} from './archive-manifest.ts';
import { isAncestor } from './ancestry.ts';
import type { Git } from './git.ts';
import { gitFailureReason } from './git-failures.ts';
import { archiveRef } from './names.ts';
import { inRepository } from './places.ts';
import { readRef } from './refs.ts';

export interface NotKept {
  /** A path, a commit, or a part of the worktree. */
  readonly what: string;
  readonly why: string;
}

export interface Proof {
  readonly isKept: boolean;
  readonly missing: readonly NotKept[];
}

/** Looks at the worktree again and says what removing it now would lose, in spite of its archive. */
export async function proveKept(git: Git, order: ArchiveOrder): Promise<Proof> {
  const ref = archiveRef(order.trailers.run, order.trailers.task, order.at);
  const commit = await readRef(git, order.worktree, ref);
  if (commit === undefined) return proof([{ what: ref, why: 'there is no such archive' }]);
  const archived = await readManifest(git, order.worktree, commit);
  const manifest = await surveyWorktree(git, order);
  return proof([
    ...changedSince(archived, manifest),
    ...unkeepable(manifest),
    ...(await unreachable(git, order, { commit, manifest })),
    ...(await damaged(git, order, commit)),
  ]);
}

function proof(missing: readonly NotKept[]): Proof {
  return Object.freeze({ isKept: missing.length === 0, missing });
}

function changedSince(archived: ArchiveManifest, now: ArchiveManifest): readonly NotKept[] {
  const before = new Map([...archived.siblings, ...archived.nested].map((one) => [one.path, one]));
  const inside = [...now.siblings, ...now.nested].flatMap((one) =>
    changedTree(one.path, { archived: before.get(one.path), now: one }),
  );
  return [...changedTree('the worktree', { archived, now }), ...inside];
}

const parts = ['head', 'branch', 'files', 'index', 'commits', 'module'] as const;
type Archived = Partial<ArchivedTree & NestedArchive>;

function changedTree(
  where: string,
  { archived, now }: { archived: Archived | undefined; now: Archived },
): readonly NotKept[] {
  if (archived === undefined) return [{ what: where, why: 'it was not there when the archive was made' }];
  return parts
    .filter((part) => JSON.stringify(archived[part]) !== JSON.stringify(now[part]))
    .map((part) => ({ what: `${part} of ${where}`, why: 'it has changed since the archive was made' }));
}

/** Pipes and sockets have no content that could be lost. */
function unkeepable({ leftOut }: ArchiveManifest): readonly NotKept[] {
  return leftOut.filter(({ why }) => why !== 'special-file').map(({ path, why }) => ({ what: path, why }));
}

async function unreachable(
  git: Git,
  { worktree }: ArchiveOrder,
  { commit, manifest }: { readonly commit: string; readonly manifest: ArchiveManifest },
): Promise<readonly NotKept[]> {
  const missing: NotKept[] = [];
  for (const ancestor of parentsOf(manifest)) {
    if (await isAncestor(git, worktree, { ancestor, of: commit })) continue;
    missing.push({ what: ancestor, why: 'the archive does not contain this commit' });
  }
  return missing;
}

/** Every object that the archive needs must be there, apart from those that the user's own refs need as well. */
async function damaged(git: Git, { worktree }: ArchiveOrder, commit: string): Promise<readonly NotKept[]> {
  const args = ['rev-list', '--objects', '--quiet', commit, '--not', '--branches', '--tags', '--remotes'];
  try {
    await git.run(args, inRepository(worktree));
    return [];
  } catch (error) {
    if (gitFailureReason(error) !== 'other') throw error;
    return [{ what: commit, why: 'objects of the archive are missing from the repository' }];
  }
}
