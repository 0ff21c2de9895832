import { isSameOwner, tidyRecord, type MarkerOwner } from './marker.ts';
import { realPlace, type RepositoryPlace } from './places.ts';
import type { FolderLink, WorktreeEntry } from './worktree-list.ts';

export interface WorktreeRecord extends MarkerOwner {
  readonly repository: RepositoryPlace;
}

export type Drift = 'replaced-folder' | 'other-repository' | 'other-owner' | 'unregistered';

/** In what way, and what is there. */
export interface Drifted {
  readonly how: Drift;
  readonly found: string;
}

function drifted(how: Drift, found: string): Drifted {
  return { how, found };
}

/** In what way something else is there than what was recorded. */
export async function driftOf(
  record: WorktreeRecord,
  { entry, link }: { entry: WorktreeEntry | undefined; link: FolderLink },
): Promise<Drifted | undefined> {
  if (link.type === 'repository') return drifted('other-repository', 'a repository of its own');
  if (link.type !== 'linked') return drifted('replaced-folder', 'a folder without a link to the repository');
  if (!link.gitDir.startsWith(`${await realPlace(record.repository.commonDir)}/`))
    return drifted('other-repository', link.gitDir);
  if (entry?.gitDir === undefined) return drifted('unregistered', link.gitDir);
  if (link.gitDir !== entry.gitDir) return drifted('replaced-folder', link.gitDir);
  const marker = await tidyRecord(entry.gitDir);
  if (marker === undefined) return drifted('other-owner', 'no mark of Piton');
  if (!isSameOwner(marker, record)) return drifted('other-owner', `${marker.run} ${marker.task}`);
  return undefined;
}
