import { join } from 'node:path';
import { PitonError } from '../../base/index.ts';
import type { PlaceRequest } from '../contract.ts';
import { waysIn } from '../files.ts';
import { findIgnored, readLink, type Git, type WorktreePlace } from '../git/index.ts';

/** A place that is being filled. */
export interface Filled {
  readonly request: PlaceRequest;
  /** Of the place. */
  readonly root: string;
}

/** Where in the place the folder of the run is: the way from its root. */
export function prefixOf(request: PlaceRequest): string {
  return isDirectory(request) ? '' : (request.repository?.prefix ?? '');
}

function isDirectory({ known, mode }: PlaceRequest): boolean {
  return known === undefined ? mode.mode === 'directory' : known.kind === 'directory';
}

/** What is to be brought. */
export interface Brought {
  readonly source: string;
  /** From the root of the place. */
  readonly path: string;
  readonly isFolder: boolean;
  /** Whose it is: `setup.copy`. */
  readonly why: string;
}

/** All that git does not ignore becomes a part of the result: a file with a password would be in the branch of the run. */
export async function assertIgnored(git: Git, filled: Filled, brought: Brought): Promise<void> {
  const worktree = await worktreeOf(filled);
  if (worktree === undefined) return;
  const { source, path, isFolder } = brought;
  const whole = isFolder ? `${path}/` : path;
  if ((await findIgnored(git, worktree, [whole])).has(whole)) return;
  const files = isFolder ? (await waysIn(source)).map((way) => join(path, way)) : [path];
  const ignored = await findIgnored(git, worktree, files);
  const seen = files.find((file) => !ignored.has(file));
  if (seen !== undefined) throw notIgnored(seen, brought, worktree);
}

/** Undefined: there is no git to ask, and no result that it could get into. */
export async function worktreeOf({ request, root }: Filled): Promise<WorktreePlace | undefined> {
  if (isDirectory(request) || request.repository === undefined) return undefined;
  const link = await readLink(root);
  if (link.type === 'linked') {
    return { path: root, gitDir: link.gitDir, commonDir: request.repository.commonDir };
  }
  throw new PitonError('WORKSPACE_DRIFTED', `${root} is not a worktree any more.`, {
    path: root,
    remedy: 'Put it back and `piton retry`, or have it made again with `piton workspace recreate`.',
  });
}

export function excludeFile({ commonDir }: WorktreePlace): string {
  return join(commonDir, 'info', 'exclude');
}

function notIgnored(file: string, { why }: Brought, worktree: WorktreePlace): PitonError {
  const message = `${file} is to be copied (${why}), and git does not ignore it: it would become a part of the result.`;
  const remedy = `Add it to ${excludeFile(worktree)}, or commit a .gitignore that names it; then \`piton retry\`.`;
  return new PitonError('SETUP_FAILED', message, { file, remedy });
}
