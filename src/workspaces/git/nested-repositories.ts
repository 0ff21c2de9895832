import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { hasCode, isInside } from '../../base/index.ts';
import { findEntry } from '../files.ts';
import type { LeftOut } from './changed-paths.ts';
import type { WorktreePlace } from './places.ts';
import { readLink, recordsInside } from './worktree-list.ts';

export interface FolderSurvey {
  /** Folders with a `.git`, whatever that is: from the top of the worktree, outer ones only. */
  readonly nested: readonly string[];
  /** What no tree can hold: unreadable folders, sockets. */
  readonly leftOut: readonly LeftOut[];
}

/**
 * Looks through all folders for repositories. Git is not asked: it sees none in a folder that has tracked files, passes over pipes
 * and sockets in silence, and would obey the configuration of what it finds.
 */
export async function surveyFolder(top: string, caches: readonly string[]): Promise<FolderSurvey> {
  const nested: string[] = [];
  const leftOut: LeftOut[] = [];
  const visit = async (folder: string): Promise<void> => {
    const path = relative(top, folder);
    const entries = await entriesOf(folder);
    if (entries === undefined) return void leftOut.push({ path, why: 'unreadable' });
    if (path !== '' && entries.some(({ name }) => name === '.git')) return void nested.push(path);
    for (const entry of entries) {
      if (entry.isDirectory()) {
        if (!caches.includes(entry.name)) await visit(join(folder, entry.name));
      } else if (!entry.isFile() && !entry.isSymbolicLink()) {
        leftOut.push({ path: join(path, entry.name), why: 'special-file' });
      }
    }
  };
  await visit(top);
  return { nested, leftOut };
}

async function entriesOf(folder: string) {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (hasCode(error, 'EACCES')) return undefined;
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

/**
 * Other worktrees of the same repository that lie inside of this one, by their paths from its top. The records of the repository
 * name them; a `.git` that only claims to be one is a file like any other.
 */
export async function findSiblings(worktree: WorktreePlace): Promise<ReadonlyMap<string, WorktreePlace>> {
  const siblings = new Map<string, WorktreePlace>();
  for (const [path, gitDir] of await recordsInside(worktree, worktree.path)) {
    const isFolder = (await findEntry(gitDir))?.isDirectory() === true;
    const isReal = (await realpath(path).catch(() => undefined)) === path;
    const link = isFolder && isReal ? await readLink(path) : undefined;
    if (link?.type !== 'linked' || link.gitDir !== gitDir) continue;
    siblings.set(relative(worktree.path, path), { path, gitDir, commonDir: worktree.commonDir });
  }
  return siblings;
}

/** The folder in which git keeps the repository of a submodule of this worktree, if the `.git` there names one. */
export async function findModule(
  { path, gitDir }: WorktreePlace,
  nested: string,
): Promise<string | undefined> {
  const folder = join(path, nested);
  const file = join(folder, '.git');
  if (!(await lstat(file)).isFile()) return undefined;
  const target = /^gitdir: (.+?)\n?$/s.exec(await readFile(file, 'utf8'))?.[1];
  const found = target && (await realpath(resolve(folder, target)).catch(() => undefined));
  if (!found) return undefined;
  const way = relative(join(gitDir, 'modules'), found);
  return way !== '' && isInside(way) && (await lstat(found)).isDirectory() ? found : undefined;
}
