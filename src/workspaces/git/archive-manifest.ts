import { isPlainObject, PitonError } from '../../base/index.ts';
import type { LeftOut } from './changed-paths.ts';
import type { Git } from './git.ts';
import { inRepository, type RepositoryPlace } from './places.ts';

/** What an archive holds: written into it as `manifest.json`. */
export interface ArchiveManifest extends ArchivedTree {
  readonly version: 2;
  /** Other worktrees of the same repository. */
  readonly siblings: readonly SiblingArchive[];
  /** Repositories that were in the worktree. */
  readonly nested: readonly NestedArchive[];
  /** What could not be archived, and why. */
  readonly leftOut: readonly LeftOut[];
}

export interface ArchivedTree {
  readonly head: string | null;
  /** The full name; null: detached. */
  readonly branch: string | null;
  /** A commit of all files, ignored ones included. */
  readonly files: string;
  /** A commit of what was staged; null: nothing that differs from HEAD, or conflicts. */
  readonly index: string | null;
  /** Commits that contain all others which only this place led to. */
  readonly commits: readonly string[];
}

export interface SiblingArchive extends ArchivedTree {
  /** From the top of the worktree. */
  readonly path: string;
}

/** As the files that it consists of: git is never asked about it, since it would obey the configuration that is there. */
export interface NestedArchive {
  /** From the top of the worktree. */
  readonly path: string;
  /** Its files, with those of its `.git`: a tree as `writePlainFolder` makes it. */
  readonly files: string;
  /** Of a submodule, the same for its repository, which is not in its folder. */
  readonly module: string | null;
}

export const manifestName = 'manifest.json';
export const nestedName = 'nested';

export function manifestText(manifest: ArchiveManifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

export async function readManifest(
  git: Git,
  repository: RepositoryPlace,
  archive: string,
): Promise<ArchiveManifest> {
  const { stdout } = await git.run(
    ['cat-file', 'blob', `${archive}:${manifestName}`],
    inRepository(repository),
  );
  const value: unknown = JSON.parse(stdout);
  if (isPlainObject(value) && value['version'] === 2) return value as unknown as ArchiveManifest;
  throw new PitonError('ARCHIVE_UNREADABLE', `${archive} is not an archive that this Piton can read.`, {
    archive,
    remedy: 'It may come from a later version of Piton: use that one.',
  });
}
