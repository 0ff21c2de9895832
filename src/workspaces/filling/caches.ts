import { mkdir, readlink, symlink } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { effect, hasCode, PitonError } from '../../base/index.ts';
import type { PlaceRequest } from '../contract.ts';
import { findEntry, makeWay } from '../files.ts';
import { encodeName, findIgnored, type Git } from '../git/index.ts';
import { excludeFile, prefixOf, worktreeOf, type Filled } from './layout.ts';

export interface CacheTools {
  readonly git: Git;
  /** Where shared folders are kept, a folder for each repository. */
  readonly caches: string;
}

/** Each is a link to the one folder. What is there is left alone: a real folder may hold what somebody needs. */
export async function bringCaches(tools: CacheTools, filled: Filled): Promise<void> {
  const { request, root } = filled;
  for (const cache of request.caches) {
    const path = cachePath(request, cache);
    const target = join(root, path);
    if ((await findEntry(target)) !== undefined) continue;
    await assertIgnoredLink(tools.git, filled, path);
    const shared = sharedFolder(tools, request, path);
    await mkdir(shared, { recursive: true, mode: 0o755 });
    await makeWay(root, target);
    await effect('workspace.cache-linked', () => symlink(shared, target));
  }
}

/** Whether a path of the place is the link to a shared folder: what is in that stays. */
export async function isSharedCache(
  { caches }: Pick<CacheTools, 'caches'>,
  root: string,
  path: string,
): Promise<boolean> {
  return (await linkAt(join(root, path)))?.startsWith(caches + sep) === true;
}

function cachePath(request: PlaceRequest, cache: string): string {
  // A slash at the end would be asked of git as a folder.
  return join(prefixOf(request), cache).replace(/\/$/, '');
}

/** The same for all places of one repository, and not for those of another that shares the store. */
function sharedFolder({ caches }: CacheTools, { repository, folder }: PlaceRequest, path: string): string {
  return join(caches, encodeName(repository?.commonDir ?? folder), encodeName(path));
}

async function linkAt(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (error) {
    if (hasCode(error, 'EINVAL') || hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** A pattern that ends with a slash is meant for folders, and to git a link is none. */
async function assertIgnoredLink(git: Git, filled: Filled, path: string): Promise<void> {
  const worktree = await worktreeOf(filled);
  if (worktree === undefined) return;
  const ignored = await findIgnored(git, worktree, [path, `${path}/`]);
  if (ignored.has(path)) return;
  const isIgnoredAsFolder = ignored.has(`${path}/`);
  const why = isIgnoredAsFolder
    ? 'git ignores it only as a folder, and a shared cache is a link'
    : 'git does not ignore it';
  const pattern = isIgnoredAsFolder ? 'without a slash at its end ' : '';
  throw new PitonError(
    'SETUP_FAILED',
    `${path} is to be a shared cache, and ${why}: it would become a part of the result.`,
    {
      path,
      remedy: `Add /${path} ${pattern}to ${excludeFile(worktree)}, or to a .gitignore that is committed; then \`piton retry\`.`,
    },
  );
}
