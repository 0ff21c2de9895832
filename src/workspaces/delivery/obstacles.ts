import { join } from 'node:path';
import { findEntry } from '../files.ts';
import {
  inWorktree,
  readLink,
  readStatus,
  splitAtZeros,
  withTemporaryIndex,
  type Git,
  type WorktreePlace,
  type ChangedFile,
} from '../git/index.ts';

/** What is in the checkout and would be lost, or mixed up, if these files were changed there. */
export interface Obstacles {
  /** Changed by the user since the last commit, in the index or in the folder. */
  readonly uncommitted: readonly string[];
  /** Where a new file belongs: not known to git, or ignored by it. */
  readonly untracked: readonly string[];
}

export async function findObstacles(
  git: Git,
  place: WorktreePlace,
  files: readonly ChangedFile[],
): Promise<Obstacles> {
  const touched = new Map(files.map((file) => [file.path, file]));
  const folders = new Set(files.filter(({ kind }) => kind === 'added').map(({ path }) => `${path}/`));
  const changed = [
    ...(await uncommittedFiles(git, place)),
    ...(await hiddenFiles(git, place, touched)),
    ...(await changedSubmodules(git, place, files)),
  ];
  const known = new Set(changed.filter((path) => touched.has(path) || isBelow(path, folders)));
  const untracked = new Set<string>();
  for (const { path, kind } of files) {
    if (kind !== 'added' || known.has(path)) continue;
    for (const found of await inTheWayOf(git, { place, path, touched })) untracked.add(found);
  }
  return { uncommitted: [...known], untracked: [...untracked].filter((path) => !known.has(path)) };
}

async function uncommittedFiles(git: Git, place: WorktreePlace): Promise<readonly string[]> {
  const args = ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=no'];
  const { stdout } = await git.run([...args, '--ignore-submodules=dirty'], inWorktree(place));
  return splitAtZeros(stdout).map((line) => line.slice(3));
}

/** Git itself would look into them under the configuration that it finds there. */
async function changedSubmodules(
  git: Git,
  place: WorktreePlace,
  files: readonly ChangedFile[],
): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const { path: way, isSubmodule } of files) {
    const path = join(place.path, way);
    if (!isSubmodule || (await findEntry(path))?.isDirectory() !== true) continue;
    const link = await readLink(path);
    if (link.type !== 'linked' && link.type !== 'repository') continue;
    const gitDir = link.type === 'linked' ? link.gitDir : join(path, '.git');
    const { changes } = await readStatus(git, { path, gitDir, commonDir: gitDir });
    if (changes.length > 0) changed.push(way);
  }
  return changed;
}

/** Changes that git was told not to look at ("assume unchanged"): its status does not know of them. */
async function hiddenFiles(
  git: Git,
  place: WorktreePlace,
  touched: ReadonlyMap<string, ChangedFile>,
): Promise<readonly string[]> {
  const { stdout } = await git.run(['ls-files', '-v', '-z'], inWorktree(place));
  const hidden = splitAtZeros(stdout).filter(
    (line) => /^([a-z]|S) /.test(line) && touched.has(line.slice(2)),
  );
  if (hidden.length === 0) return [];
  const names = new Set(hidden.map((line) => line.slice(2)));
  return withTemporaryIndex(git, place, async (indexFile) => {
    const changed = await git.run(['ls-files', '--modified', '-z'], inWorktree(place, indexFile));
    return splitAtZeros(changed.stdout).filter((path) => names.has(path));
  });
}

function isBelow(path: string, folders: ReadonlySet<string>): boolean {
  for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) {
    if (folders.has(path.slice(0, end + 1))) return true;
  }
  return false;
}

interface Spot {
  readonly place: WorktreePlace;
  /** A file that the checkout is to get. */
  readonly path: string;
  readonly touched: ReadonlyMap<string, ChangedFile>;
}

/** A file of the user's may also stand where a folder is needed, or a folder where the file belongs. */
async function inTheWayOf(git: Git, { place, path, touched }: Spot): Promise<readonly string[]> {
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth++) {
    const part = parts.slice(0, depth).join('/');
    const found = await findEntry(join(place.path, part));
    if (found === undefined) return [];
    // What git has there makes room by itself.
    if (!found.isDirectory()) return part !== path && touched.has(part) ? [] : [part];
  }
  const args = ['ls-files', '--others', '-z', '--', `:(literal)${path}`];
  return splitAtZeros((await git.run(args, inWorktree(place))).stdout);
}
