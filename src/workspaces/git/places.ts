/** Where git works. Always said outright: a git that searches upwards from a folder whose `.git` was deleted finds the user's checkout. */
import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hasCode } from '../../base/index.ts';

export interface RepositoryPlace {
  /** The folder of the objects and branches, which all worktrees share. */
  readonly commonDir: string;
}

export interface WorktreePlace extends RepositoryPlace {
  readonly path: string;
  /** The worktree's own folder inside the repository: its HEAD and index. */
  readonly gitDir: string;
}

interface Setting {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** For what concerns objects and refs alone: no working tree, no index, no attributes of anybody's checkout. */
export function inRepository({ commonDir }: RepositoryPlace): Setting {
  return { cwd: commonDir, env: { GIT_DIR: commonDir, GIT_COMMON_DIR: commonDir } };
}

export function inWorktree({ path, gitDir, commonDir }: WorktreePlace, indexFile?: string): Setting {
  const env = { GIT_DIR: gitDir, GIT_COMMON_DIR: commonDir, GIT_WORK_TREE: path };
  return { cwd: path, env: indexFile === undefined ? env : { ...env, GIT_INDEX_FILE: indexFile } };
}

/** The path as git writes it down: without symbolic links, whether the folder is there or not. */
export async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT') || dirname(path) === path) throw error;
    return join(await realPlace(dirname(path)), basename(path));
  }
}

/** The same, but whatever stands at the path itself is not followed: an agent may have put a link there. */
export async function ownPlace(path: string): Promise<string> {
  return join(await realPlace(dirname(path)), basename(path));
}

/** The parts of an output that ends each of them with a zero. */
export function splitAtZeros(text: string): string[] {
  const parts = text.split('\0');
  if (parts.at(-1) === '') parts.pop();
  return parts;
}
