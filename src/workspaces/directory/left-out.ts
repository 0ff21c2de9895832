import { isInside } from '../../base/index.ts';
import { lstatSync, readFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import type { Place } from '../contract.ts';

const ownNames = ['archive', 'artifacts', 'caches', 'directories', 'spool', 'worktrees'];

/** What a copy of a folder does not hold: what Piton keeps there, and ways into the repository of the user. */
export async function leftOutOf(source: string, { path: place }: Place): Promise<(path: string) => boolean> {
  const state = dirname(await realpath(dirname(dirname(place))));
  const own = new Set([state, ...ownNames.map((name) => join(state, name))]);
  // Of what Piton keeps, a copy would be of no use; and the copy itself is in there.
  return (path) =>
    basename(path) === '.piton' ||
    own.has(path) ||
    leadsIntoRepository(source, path) ||
    isOwnRef(source, path);
}

/** They change with every task: compared with them, a copy in which nobody has done anything would be kept as a whole. */
function isOwnRef(source: string, path: string): boolean {
  const found = ownRefs.exec(relative(source, path));
  if (found === null || found[1] !== 'heads/piton') return found !== null;
  // Whoever looks at the result of a run has its branch checked out.
  return !readFileSync(join(source, '.git/HEAD'), 'utf8').startsWith('ref: refs/heads/piton/');
}

const ownRefs = /^\.git\/(?:logs\/)?refs\/(piton|heads\/piton-tasks|heads\/piton)$/;

/**
 * A copied link of git would make the index and HEAD of the user's own worktree those of the copy; and by a copied list of
 * worktrees, git could remove theirs.
 */
function leadsIntoRepository(source: string, path: string): boolean {
  if (basename(path) === 'worktrees') return basename(dirname(path)) === '.git';
  if (basename(path) !== '.git' || !lstatSync(path).isFile()) return false;
  const target = /^gitdir: (.*)/.exec(readFileSync(path, 'utf8'))?.[1]?.trim() ?? '';
  return isAbsolute(target) || !isInside(relative(source, join(dirname(path), target)));
}
