import type { Git } from './git.ts';
import { gitFailureReason } from './git-failures.ts';
import { findChangedPaths, type LeftOut, type Selection } from './changed-paths.ts';
import { inWorktree, type WorktreePlace } from './places.ts';
import { withTemporaryIndex } from './temporary-index.ts';

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
  return withTemporaryIndex(git, place, async (indexFile) => {
    const leftOut = await takeChanges(git, { place, indexFile, selection });
    const options = { ...inWorktree(place, indexFile), effect: 'tree-written' };
    const { stdout } = await git.run(['write-tree'], options);
    return { tree: stdout.trim(), leftOut };
  });
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
  { place, indexFile }: Taking,
  { flags, paths }: { readonly flags: readonly string[]; readonly paths: readonly string[] },
): Promise<string> {
  if (paths.length === 0) return '';
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1');
  const options = { ...inWorktree(place, indexFile), input, effect: 'files-added' };
  return (await git.run(['update-index', ...flags, '-z', '--stdin'], options)).stderr;
}

/** Names such as `.git` in other spellings, which git passes over. */
function ignoredPaths(stderr: string): LeftOut[] {
  const lines = stderr.matchAll(/^Ignoring path (.+)$/gm);
  return [...lines].map(([, path]) => ({ path: path!, why: 'invalid-path' as const }));
}
