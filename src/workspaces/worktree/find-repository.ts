import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { PitonError } from '../../base/index.ts';
import type { RepositoryOrigin } from '../contract.ts';
import {
  gitFailureReason,
  locateRepository,
  readHead,
  realPlace,
  type Git,
  type Location,
} from '../git/index.ts';

/** The repository in which tasks of a run in that folder would have worktrees; undefined: there is none. */
export async function findRepository(
  git: Git,
  folder: string,
  base: string | undefined,
): Promise<RepositoryOrigin | undefined> {
  const found = await locate(git, folder);
  if (found === undefined || found.isBare) return undefined;
  const { root, gitDir, commonDir, subfolder: prefix } = found;
  // A git that is too old is found out by this: later, there would be work to be merged, which somebody has paid for.
  const head = await readHead(git, { path: root, gitDir, commonDir });
  if (head === undefined) return undefined;
  const commit = base === undefined ? head : await commitOf(git, found, base);
  return { root, commonDir, base: commit, prefix };
}

/** Without a git there can still be no repository. */
async function locate(git: Git, folder: string): Promise<Location | undefined> {
  try {
    return await locateOnce(git, folder);
  } catch (error) {
    if (gitFailureReason(error) !== 'no-git' || isInRepository(resolve(folder))) throw error;
    return undefined;
  }
}

function isInRepository(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return true;
  return dirname(folder) !== folder && isInRepository(dirname(folder));
}

interface Located {
  readonly location: Location;
  readonly seen: string;
}

const located = new WeakMap<Git, Map<string, Located>>();

/** Whoever starts a run asks twice: as long as nobody has moved anything there, the answer is the same. */
async function locateOnce(git: Git, folder: string): Promise<Location | undefined> {
  const known = located.get(git) ?? new Map<string, Located>();
  located.set(git, known);
  const before = known.get(folder);
  if (before !== undefined && before.seen === (await lookAt(folder, before.location))) return before.location;
  const location = await locateRepository(git, folder);
  if (location !== undefined) known.set(folder, { location, seen: await lookAt(folder, location) });
  return location;
}

/** All folders that say where the repository is, from that folder up to its root. */
async function lookAt(folder: string, { root, gitDir, commonDir }: Location): Promise<string> {
  const paths = [gitDir, commonDir, root];
  for (let path = await realPlace(folder); path.startsWith(root); path = dirname(path)) {
    paths.push(path, join(path, '.git'));
    if (path === dirname(path)) break;
  }
  return (await Promise.all(paths.map(identityOf))).join(' ');
}

async function identityOf(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found === undefined ? '-' : `${found.dev}:${found.ino}:${found.birthtimeNs}`;
}

/** In the checkout: its HEAD may be meant. */
async function commitOf(git: Git, { root: cwd }: Location, base: string): Promise<string> {
  const args = ['rev-parse', '--quiet', '--verify', '--end-of-options', `${base}^{commit}`];
  const commit = await git.ask(args, { cwd });
  if (commit !== undefined) return commit;
  throw new PitonError('BASE_UNKNOWN', `There is no branch or commit ${base} to begin from.`, {
    base,
    remedy: 'Name one that is in this repository, after `base`.',
  });
}
