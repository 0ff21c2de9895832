import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { someNames } from '../../base/index.ts';
import {
  areContained,
  findHidden,
  listStashes,
  namedCommits,
  readStatus,
  surveyFolder,
  type Git,
  type Marker,
  type WorktreePlace,
} from '../git/index.ts';

export interface Holding {
  readonly worktree: WorktreePlace;
  readonly marker: Marker | undefined;
  /** Commits that stay whatever becomes of the worktree. */
  readonly holders: readonly string[];
  readonly hasStash: boolean;
  /** Folders that need not be kept, by name. */
  readonly caches: readonly string[];
  /** What is ignored stays where it is. */
  readonly isIgnoredLeft: boolean;
  /** Whether an ignored file is as it is in another place. */
  isElsewhere?(path: string): Promise<boolean>;
}

/** What would be lost with the worktree, or overwritten in it: one thing, for people. undefined: nothing at all. */
export async function findUnkept(git: Git, holding: Holding): Promise<string | undefined> {
  const { worktree, caches, isIgnoredLeft } = holding;
  const { head, changes, ignored } = await readStatus(git, worktree, { withIgnored: true });
  if (head === undefined) return 'a HEAD without a commit';
  if (changes.length > 0) return someNames(changes, 1);
  const lost = isIgnoredLeft ? undefined : await firstLost(holding, ignored);
  if (lost !== undefined) return lost;
  const { nested, leftOut } = await surveyFolder(worktree.path, caches);
  const isLeft = (path: string): boolean =>
    isIgnoredLeft && ignored.some((one) => `${path}/`.startsWith(one));
  const inside = [...nested, ...leftOut.map(({ path }) => path)].find((path) => !isLeft(path));
  if (inside !== undefined) return inside;
  const [hidden] = await findHidden(git, worktree);
  if (hidden !== undefined) return hidden;
  return (await hasOwnCommits(git, holding, head)) ? 'commits that nothing else leads to' : undefined;
}

async function firstLost(holding: Holding, ignored: readonly string[]): Promise<string | undefined> {
  for (const path of ignored) {
    const lost = path.endsWith('/') ? await lostInFolder(holding, path) : await lostFile(holding, path);
    if (lost !== undefined) return lost;
  }
  return undefined;
}

async function lostFile({ caches, isElsewhere }: Holding, path: string): Promise<string | undefined> {
  const isCache = path
    .split('/')
    .slice(0, -1)
    .some((name) => caches.includes(name));
  return isCache || (await isElsewhere?.(path)) === true ? undefined : path;
}

async function lostInFolder(holding: Holding, path: string): Promise<string | undefined> {
  if (holding.caches.includes(basename(path))) return undefined;
  const entries = await readdir(join(holding.worktree.path, path), { withFileTypes: true });
  const inside = entries.map((entry) => `${path}${entry.name}${entry.isDirectory() ? '/' : ''}`);
  return firstLost(holding, inside);
}

async function hasOwnCommits(git: Git, holding: Holding, head: string): Promise<boolean> {
  const { worktree, marker, holders, hasStash } = holding;
  const before = new Set(marker?.stashes);
  const stashes = hasStash ? await listStashes(git, worktree) : [];
  if (stashes.some((stash) => !before.has(stash))) return true;
  const commits = [...new Set([head, ...(await namedCommits(worktree))])];
  return !(await areContained(git, worktree, { commits, holders }));
}
