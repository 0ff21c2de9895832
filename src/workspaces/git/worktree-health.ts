import { asError } from '../../base/index.ts';
import { isAncestor } from './commits.ts';
import type { Git } from './git.ts';
import { isSameOwner, readMarker, type MarkerOwner } from './marker.ts';
import { realPlace, type RepositoryPlace, type WorktreePlace } from './places.ts';
import { readStatus } from './tree-status.ts';
import { entryAt, listWorktrees, readLink, type FolderLink, type WorktreeEntry } from './worktree-list.ts';

export interface WorktreeRecord extends MarkerOwner {
  readonly repository: RepositoryPlace;
  readonly path: string;
  readonly branch: string;
  readonly base: string;
}

export type Drift =
  | 'other-branch'
  | 'not-descended'
  | 'no-commit'
  | 'replaced-folder'
  | 'other-repository'
  | 'other-owner'
  | 'unregistered';

export type WorktreeHealth =
  | { readonly type: 'clean'; readonly head: string }
  /** `count` may be more than are listed. */
  | {
      readonly type: 'dirty';
      readonly head: string;
      readonly files: readonly string[];
      readonly count: number;
    }
  | { readonly type: 'missing'; readonly isRegistered: boolean }
  | { readonly type: 'drifted'; readonly how: Drift; readonly found: string }
  /** It could not be looked at. */
  | { readonly type: 'unknown'; readonly why: string };

const filesListed = 100;

/** How a worktree is, by looking. `entries` saves asking git again for each of many. */
export async function lookAtWorktree(
  git: Git,
  record: WorktreeRecord,
  entries?: readonly WorktreeEntry[],
): Promise<WorktreeHealth> {
  try {
    const path = await realPlace(record.path);
    const entry = entryAt(entries ?? (await listWorktrees(git, record.repository)), path);
    const link = await readLink(path);
    if (link.type === 'absent') return { type: 'missing', isRegistered: entry !== undefined };
    return (
      (await driftOf(record, { entry, link })) ??
      (await lookInside(git, record, {
        path,
        gitDir: entry!.gitDir!,
        commonDir: record.repository.commonDir,
      }))
    );
  } catch (error) {
    return { type: 'unknown', why: asError(error).message };
  }
}

function drifted(how: Drift, found: string): Extract<WorktreeHealth, { type: 'drifted' }> {
  return { type: 'drifted', how, found };
}

/** In what way something else is there than what was recorded. */
export async function driftOf(
  record: WorktreeRecord,
  { entry, link }: { entry: WorktreeEntry | undefined; link: FolderLink },
): Promise<Extract<WorktreeHealth, { type: 'drifted' }> | undefined> {
  if (link.type === 'repository') return drifted('other-repository', 'a repository of its own');
  if (link.type !== 'linked') return drifted('replaced-folder', 'a folder without a link to the repository');
  if (!link.gitDir.startsWith(`${await realPlace(record.repository.commonDir)}/`))
    return drifted('other-repository', link.gitDir);
  if (entry?.gitDir === undefined) return drifted('unregistered', link.gitDir);
  if (link.gitDir !== entry.gitDir) return drifted('replaced-folder', link.gitDir);
  const marker = await readMarker(entry.gitDir);
  if (marker === undefined) return drifted('other-owner', 'no mark of Piton');
  if (!isSameOwner(marker, record)) return drifted('other-owner', `${marker.run} ${marker.task}`);
  return undefined;
}

async function lookInside(git: Git, record: WorktreeRecord, place: WorktreePlace): Promise<WorktreeHealth> {
  const { head, branch, changes } = await readStatus(git, place);
  if (branch !== undefined && `refs/heads/${branch}` !== record.branch)
    return drifted('other-branch', branch);
  if (head === undefined) return drifted('no-commit', `${branch ?? 'HEAD'} has no commit`);
  const isDescended = await isAncestor(git, place, { ancestor: record.base, of: head });
  if (!isDescended) return drifted('not-descended', head);
  if (changes.length === 0) return { type: 'clean', head };
  return { type: 'dirty', head, files: changes.slice(0, filesListed), count: changes.length };
}
