import { join } from 'node:path';
import type { ArchivedTree, ArchiveManifest, NestedArchive } from './archive-manifest.ts';
import { readShallow } from './archive-bundles.ts';
import { independentCommits } from './ancestry.ts';
import { readHead, type Trailers } from './commits.ts';
import { writeCommit } from './write-commit.ts';
import type { LeftOut } from './changed-paths.ts';
import type { Git } from './git.ts';
import { findIgnored } from './ignored-paths.ts';
import { writeIndexTree } from './index-tree.ts';
import { readMarker } from './marker.ts';
import { surveyFolder, type FolderSurvey, type NestedRepository } from './nested-repositories.ts';
import { inWorktree, type WorktreePlace } from './places.ts';
import { commitsOfWorktree, listStashes } from './reflogs.ts';
import { writeTree } from './trees.ts';

export interface ArchiveOrder {
  readonly worktree: WorktreePlace;
  readonly trailers: Trailers;
  /** Names the archive: the same time and an unchanged worktree give the same archive. */
  readonly at: number;
  /** Folders that need not be kept, by name. */
  readonly caches: readonly string[];
  /** false: what is ignored stays where it is, and need not be kept. */
  readonly includeIgnored?: boolean;
  /** Commits that are to be kept along. */
  readonly also?: readonly string[];
  /** Whether a file that git does not have is as it is in another place, and need not be kept. */
  isElsewhere?(path: string): Promise<boolean>;
}

/** The manifest of what is in the worktree now. Equal orders give equal manifests, as long as nothing changes there. */
export async function surveyWorktree(
  git: Git,
  order: ArchiveOrder,
): Promise<{ manifest: ArchiveManifest; nested: readonly NestedRepository[] }> {
  const { worktree, caches } = order;
  const survey = await surveyKept(git, order, await surveyFolder(git, worktree.path, caches));
  const own = await archiveTree(git, order, worktree);
  const leftOut = [...own.leftOut, ...survey.leftOut];
  const nested: NestedArchive[] = [];
  for (const [index, { path, place }] of survey.nested.entries()) {
    const inner = await archiveTree(git, order, place);
    leftOut.push(...inner.leftOut.map((one) => ({ ...one, path: join(path, one.path) })));
    nested.push({
      path,
      ...inner.tree,
      // Another worktree of the same repository: a bundle would hold once more what is here already.
      bundle: place.commonDir === worktree.commonDir ? null : `${index}.bundle`,
      shallow: await readShallow(place),
    });
  }
  const manifest = { version: 1 as const, ...own.tree, nested, leftOut: notArchived(leftOut, survey.nested) };
  return { manifest, nested: survey.nested };
}

async function surveyKept(
  git: Git,
  { worktree, includeIgnored = true }: ArchiveOrder,
  survey: FolderSurvey,
): Promise<FolderSurvey> {
  const found = [...survey.nested, ...survey.leftOut];
  if (includeIgnored || found.length === 0) return survey;
  const ignored = await findIgnored(
    git,
    worktree,
    found.map(({ path }) => `${path}/`),
  );
  const isKept = ({ path }: { readonly path: string }): boolean => !ignored.has(`${path}/`);
  return { nested: survey.nested.filter(isKept), leftOut: survey.leftOut.filter(isKept) };
}

/** The files, the index, and every commit that only this place leads to. */
async function archiveTree(
  git: Git,
  order: ArchiveOrder,
  place: WorktreePlace,
): Promise<{ tree: ArchivedTree; leftOut: readonly LeftOut[] }> {
  const head = await readHead(git, place);
  const { caches, isElsewhere } = place === order.worktree ? order : { ...order, isElsewhere: undefined };
  const everything = {
    includeIgnored: order.includeIgnored ?? true,
    caches,
    maxFileBytes: Number.POSITIVE_INFINITY,
    ...(isElsewhere !== undefined && { isElsewhere }),
  };
  const { tree, leftOut } = await writeTree(git, place, everything);
  const parents = head === undefined ? [] : [head];
  const write = (what: string, of: string): Promise<string> =>
    writeCommit(git, place, { ...order, message: `${what} of a workspace`, tree: of, parents });
  const indexTree = await writeIndexTree(git, place);
  const also = place === order.worktree ? (order.also ?? []) : [];
  const named = [...(await commitsOfWorktree(git, place)), ...(await stashesSince(git, place)), ...also];
  const archived = {
    head: head ?? null,
    branch: (await git.ask(['symbolic-ref', '--quiet', 'HEAD'], inWorktree(place))) ?? null,
    files: await write('Files', tree),
    index: indexTree === undefined ? null : await write('Index', indexTree),
    commits: [...(await independentCommits(git, place, named))].sort(),
  };
  return { tree: archived, leftOut };
}

/** The stash outlives the worktree, but the user, who does not know what an agent has put there, may clear it. */
async function stashesSince(git: Git, place: WorktreePlace): Promise<readonly string[]> {
  const before = new Set((await readMarker(place.gitDir))?.stashes);
  return (await listStashes(git, place)).filter((stash) => !before.has(stash));
}

/** A nested repository that is archived by itself is not left out. */
function notArchived(leftOut: readonly LeftOut[], nested: readonly NestedRepository[]): readonly LeftOut[] {
  const archived = new Set(nested.map(({ path }) => path));
  const missing = leftOut.filter(({ path, why }) => why !== 'nested-repository' || !archived.has(path));
  const distinct = new Map(missing.map((one) => [`${one.why} ${one.path}`, one]));
  return [...distinct.values()];
}

/** All commits that an archive must lead to, as far as they are in the repository itself. */
export function commitsOf(tree: ArchivedTree): readonly string[] {
  return [tree.files, tree.index, ...tree.commits].filter((commit) => commit !== null);
}
