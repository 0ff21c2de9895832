import { rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { readHead } from './commits.ts';
import type { Git } from './git.ts';
import { gitFailureReason } from './git-failures.ts';
import { findChangedPaths, type LeftOut, type Selection } from './changed-paths.ts';
import { findObjects } from './objects.ts';
import { lookAtFile } from '../files.ts';
import { isPlain } from './own-index.ts';
import { inWorktree, type WorktreePlace } from './places.ts';
import { temporaryIndex, withTemporaryIndex } from './temporary-index.ts';

export interface WrittenTree {
  readonly tree: string;
  readonly leftOut: readonly LeftOut[];
}

/** All that git does not ignore, apart from what nobody would want in a repository by the way. */
export const usualFiles: Selection = {
  includeIgnored: false,
  caches: [],
  maxFileBytes: 100 * 1024 * 1024,
};

/** Somebody may be writing there while we look: a file can turn into a folder between two glances. */
const tries = 3;

/** Writes all files of a worktree as a tree, without touching its HEAD or index. */
export async function writeTree(git: Git, place: WorktreePlace, selection: Selection): Promise<WrittenTree> {
  try {
    return await writeFiltered(git, place, { ...selection, needsFilters: true });
  } catch (error) {
    if (selection.needsFilters === true || gitFailureReason(error) !== 'filter') throw error;
    // What was not filtered must not be found again by whoever looks for a result.
    return writeFiltered(git, place, { ...selection, needsFilters: false, isLookedAtAgain: false });
  }
}

async function writeFiltered(git: Git, place: WorktreePlace, selection: Selection): Promise<WrittenTree> {
  const head = await readHead(git, place);
  const isFollowed = selection.isLookedAtAgain === true && !selection.includeIgnored;
  const before = isFollowed ? await sameAsBefore(git, place, { head, selection }) : undefined;
  if (before !== undefined) return before;
  return withTemporaryIndex(git, place, async (indexFile) => {
    const { ctimeMs: since } = await stat(indexFile);
    const leftOut = await takeChanges(git, { place, indexFile, selection });
    const options = { ...inWorktree(place, indexFile), effect: 'tree-written' };
    const tree = (await git.run(['write-tree'], options)).stdout.trim();
    if (isFollowed) await keepIndex(git, place, { indexFile, since, head, tree });
    return { tree, leftOut };
  });
}

interface KeptIndex {
  readonly file: string;
  readonly seen: string | undefined;
  readonly head: string | undefined;
  readonly ignored: string | undefined;
  readonly tree: string;
}

/** The indexes that the last trees were written from: whoever looks again, and finds that no file differs from it, has the tree. */
const kept = new WeakMap<Git, Map<string, KeptIndex>>();

interface Keeping extends Pick<KeptIndex, 'head' | 'tree'> {
  readonly indexFile: string;
  /** When the first file was looked at, or before. */
  readonly since: number;
}

async function keepIndex(
  git: Git,
  place: WorktreePlace,
  { indexFile, since, head, tree }: Keeping,
): Promise<void> {
  const indexes = kept.get(git) ?? new Map<string, KeptIndex>();
  const before = indexes.get(place.gitDir);
  if (before !== undefined) await rm(before.file, { force: true });
  indexes.delete(place.gitDir);
  if (!(await isPlain(indexFile))) return;
  const file = temporaryIndex(git, place);
  await rename(indexFile, file);
  await makeOlder(file, since);
  const found = { file, seen: await lookAtFile(file), ignored: await lookAtIgnored(place) };
  kept.set(git, indexes.set(place.gitDir, { ...found, head, tree }));
}

/**
 * Git reads a file again that is not older than the index. A file may have been written once more after it was read, and
 * before the index was: in the same second, its size and times can be the same.
 */
async function makeOlder(file: string, since: number): Promise<void> {
  const { mtimeMs } = await stat(file);
  const before = Math.floor(Math.min(mtimeMs, since) / 1000);
  await utimes(file, before, before);
}

/** The index that holds a tree, if it is there as it was left. */
export async function keptIndexOf(git: Git, place: WorktreePlace, tree: string): Promise<string | undefined> {
  const found = kept.get(git)?.get(place.gitDir);
  const isSame = found?.tree === tree && found.seen === (await lookAtFile(found.file));
  return isSame && found.seen !== undefined ? found.file : undefined;
}

async function sameAsBefore(
  git: Git,
  place: WorktreePlace,
  { head, selection }: { readonly head: string | undefined; readonly selection: Selection },
): Promise<WrittenTree | undefined> {
  const before = kept.get(git)?.get(place.gitDir);
  if (before === undefined || before.head !== head || before.ignored !== (await lookAtIgnored(place)))
    return undefined;
  const { tree } = before;
  const indexFile = await keptIndexOf(git, place, tree);
  // A garbage collection may have taken what no commit was made of.
  if (indexFile === undefined || (await findObjects(git, place, [tree]))[0] === undefined) return undefined;
  const { paths, folders, leftOut } = await findChangedPaths(git, { place, indexFile, selection });
  return paths.length + folders.length === 0 ? { tree, leftOut } : undefined;
}

/** What is ignored is told by files in the worktree, of which it is seen when they change, and by this one. */
function lookAtIgnored({ commonDir }: WorktreePlace): Promise<string | undefined> {
  return lookAtFile(join(commonDir, 'info/exclude'));
}

interface Taking {
  readonly place: WorktreePlace;
  readonly indexFile: string;
  readonly selection: Selection;
}

async function takeChanges(git: Git, taking: Taking): Promise<readonly LeftOut[]> {
  for (let attempt = 1; ; attempt++) {
    const { paths, folders, leftOut } = await findChangedPaths(git, taking);
    try {
      await updateIndex(git, taking, { flags: ['--force-remove'], paths: folders });
      const flags = ['--add', '--remove', '--replace'];
      return [...leftOut, ...ignoredPaths(await updateIndex(git, taking, { flags, paths }))];
    } catch (error) {
      if (gitFailureReason(error) !== 'other' || attempt === tries) throw error;
    }
  }
}

/** Exactly these paths: `git add --all` would stop at the first one it cannot read, and take nested repositories for submodules. */
async function updateIndex(
  git: Git,
  { place, indexFile, selection }: Taking,
  { flags, paths }: { readonly flags: readonly string[]; readonly paths: readonly string[] },
): Promise<string> {
  if (paths.length === 0) return '';
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1');
  const options = { ...inWorktree(place, indexFile), input, effect: 'files-added' };
  const settings = selection.needsFilters === true ? required : [];
  return (await git.run([...settings, 'update-index', ...flags, '-z', '--stdin'], options)).stderr;
}

/** Where it is not configured at all, git would take the file as it is. */
const required = ['lfs', 'git-crypt'].flatMap((name) => ['-c', `filter.${name}.required=true`]);

/** Names such as `.git` in other spellings, which git passes over. */
function ignoredPaths(stderr: string): LeftOut[] {
  const lines = stderr.matchAll(/^Ignoring path (.+)$/gm);
  return [...lines].map(([, path]) => ({ path: path!, why: 'invalid-path' as const }));
}
