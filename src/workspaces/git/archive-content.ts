import { join } from 'node:path';
import type { ArchivedTree, ArchiveManifest, NestedArchive, SiblingArchive } from './archive-manifest.ts';
import { independentCommits } from './ancestry.ts';
import { readHead, type Trailers } from './commits.ts';
import { writeCommit } from './write-commit.ts';
import type { LeftOut } from './changed-paths.ts';
import type { Git } from './git.ts';
import { findIgnored } from './ignored-paths.ts';
import { writeIndexTree } from './index-tree.ts';
import { tidyRecord } from './marker.ts';
import { findModule, findSiblings, surveyFolder, type FolderSurvey } from './nested-repositories.ts';
import { writePlainFolder } from './plain-folders.ts';
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
export async function surveyWorktree(git: Git, order: ArchiveOrder): Promise<ArchiveManifest> {
  const { worktree, caches } = order;
  const survey = await surveyKept(git, order, await surveyFolder(worktree.path, caches));
  const own = await archiveTree(git, order, worktree);
  const leftOut = [...own.leftOut, ...survey.leftOut];
  const [siblings, nested]: [SiblingArchive[], NestedArchive[]] = [[], []];
  const places = await findSiblings(worktree);
  for (const [path, place] of places) {
    const inner = await archiveTree(git, order, place);
    leftOut.push(...within(path, inner.leftOut));
    siblings.push({ path, ...inner.tree });
  }
  for (const path of survey.nested.filter((one) => !places.has(one))) {
    const inner = await archiveNested(git, order, path);
    leftOut.push(...within(path, inner.leftOut));
    nested.push(inner.nested);
  }
  const archived = [...survey.nested, ...places.keys()];
  return { version: 2, ...own.tree, siblings, nested, leftOut: notArchived(leftOut, archived) };
}

function within(path: string, leftOut: readonly LeftOut[]): LeftOut[] {
  return leftOut.map((one) => ({ ...one, path: join(path, one.path) }));
}

async function surveyKept(
  git: Git,
  { worktree, includeIgnored = true }: ArchiveOrder,
  survey: FolderSurvey,
): Promise<FolderSurvey> {
  const found = [...survey.nested, ...survey.leftOut.map(({ path }) => path)];
  if (includeIgnored || found.length === 0) return survey;
  const ignored = await findIgnored(
    git,
    worktree,
    found.map((path) => `${path}/`),
  );
  const isKept = (path: string): boolean => !ignored.has(`${path}/`);
  return {
    nested: survey.nested.filter(isKept),
    leftOut: survey.leftOut.filter(({ path }) => isKept(path)),
  };
}

async function archiveNested(
  git: Git,
  { worktree, caches }: ArchiveOrder,
  path: string,
): Promise<{ nested: NestedArchive; leftOut: readonly LeftOut[] }> {
  const files = await writePlainFolder(git, worktree, { folder: join(worktree.path, path), caches });
  const folder = await findModule(worktree, path);
  const module =
    folder === undefined ? undefined : await writePlainFolder(git, worktree, { folder, caches: [] });
  const nested = { path, files: files.tree, module: module?.tree ?? null };
  return { nested, leftOut: [...files.leftOut, ...(module?.leftOut ?? [])] };
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
  const before = new Set((await tidyRecord(place.gitDir))?.stashes);
  return (await listStashes(git, place)).filter((stash) => !before.has(stash));
}

/** A nested repository that is archived by itself is not left out. */
function notArchived(leftOut: readonly LeftOut[], archived: readonly string[]): readonly LeftOut[] {
  const missing = leftOut.filter(({ path, why }) => why !== 'nested-repository' || !archived.includes(path));
  const distinct = new Map(missing.map((one) => [`${one.why} ${one.path}`, one]));
  return [...distinct.values()];
}

/** All commits that an archive must lead to, as far as they are in the repository itself. */
export function commitsOf(tree: ArchivedTree): readonly string[] {
  return [tree.files, tree.index, ...tree.commits].filter((commit) => commit !== null);
}
