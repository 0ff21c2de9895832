import { readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { hasCode } from '../../base/index.ts';
import type { LeftOut } from './changed-paths.ts';
import type { Git } from './git.ts';
import { gitFailureReason } from './git-failures.ts';
import { realPlace, type WorktreePlace } from './places.ts';

export interface NestedRepository {
  /** From the top of the worktree. */
  readonly path: string;
  readonly place: WorktreePlace;
}

export interface FolderSurvey {
  /** Outer ones before inner ones. */
  readonly nested: readonly NestedRepository[];
  /** What no tree can hold: unreadable folders, sockets, a `.git` that git does not understand. */
  readonly leftOut: readonly LeftOut[];
}

/**
 * Looks through all folders for repositories. Git alone would not tell: it sees none in a folder that has tracked files,
 * and passes over pipes and sockets in silence.
 */
export async function surveyFolder(git: Git, top: string, caches: readonly string[]): Promise<FolderSurvey> {
  const nested: NestedRepository[] = [];
  const leftOut: LeftOut[] = [];
  const visit = async (folder: string): Promise<void> => {
    const path = relative(top, folder);
    const entries = await entriesOf(folder);
    if (entries === undefined) return void leftOut.push({ path, why: 'unreadable' });
    for (const entry of entries) {
      if (entry.name === '.git') {
        if (path !== '') await note(folder, path);
      } else if (entry.isDirectory()) {
        if (!caches.includes(entry.name)) await visit(join(folder, entry.name));
      } else if (!entry.isFile() && !entry.isSymbolicLink()) {
        leftOut.push({ path: join(path, entry.name), why: 'special-file' });
      }
    }
  };
  const note = async (folder: string, path: string): Promise<void> => {
    const place = await openRepository(git, folder);
    if (place === undefined) leftOut.push({ path, why: 'nested-repository' });
    else nested.push({ path, place });
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

/** undefined: its `.git` leads nowhere, or git will not open it. */
async function openRepository(git: Git, folder: string): Promise<WorktreePlace | undefined> {
  try {
    const questions = ['--show-toplevel', '--absolute-git-dir', '--git-common-dir'];
    const env = { GIT_CEILING_DIRECTORIES: join(folder, '..') };
    const { stdout } = await git.run(['rev-parse', ...questions], { cwd: folder, env });
    const [path = '', gitDir = '', common = ''] = stdout.split('\n');
    if (path !== (await realPlace(folder))) return undefined;
    return { path, gitDir: await realPlace(gitDir), commonDir: await realPlace(resolve(folder, common)) };
  } catch (error) {
    if (gitFailureReason(error) === undefined) throw error;
    return undefined;
  }
}
