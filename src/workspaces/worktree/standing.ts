import { dirname, join } from 'node:path';
import { assertNoLink } from '../files.ts';
import type { Place, PlaceRequest, RepositoryOrigin } from '../contract.ts';
import {
  findRecord,
  isSameOwner,
  placeName,
  placeWay,
  readLink,
  tidyRecord,
  ownPlace,
  realPlace,
  savedRef,
  taskBranch,
  type FolderLink,
  type Marker,
  type WorktreeFolder,
  type WorktreePlace,
} from '../git/index.ts';

/** A request for a worktree: it always has a repository. */
export type WorktreeRequest = PlaceRequest & { readonly repository: RepositoryOrigin };

/** What is at the path of a place, and whose it says it is. */
export interface Standing {
  readonly path: string;
  readonly link: FolderLink;
  readonly entry: WorktreeFolder | undefined;
  readonly marker: Marker | undefined;
  /** If it is a worktree of the repository, whoever's it is. */
  readonly worktree: WorktreePlace | undefined;
}

/** Without a git. */
export async function lookAtPath(repository: RepositoryOrigin, path: string): Promise<Standing> {
  await assertNoLink(dirname(path));
  const real = await ownPlace(path);
  const entry = await findRecord(repository, real);
  const link = await readLink(real);
  const marker = entry === undefined ? undefined : await tidyRecord(entry.gitDir);
  const isLinked = link.type === 'linked' && link.gitDir === entry?.gitDir;
  const worktree = isLinked
    ? { path: real, gitDir: link.gitDir, commonDir: await realPlace(repository.commonDir) }
    : undefined;
  return { path: real, link, entry, marker, worktree };
}

export function isOurs({ run, task }: WorktreeRequest, token: string, marker: Marker | undefined): boolean {
  return marker !== undefined && isSameOwner(marker, { run, task, token });
}

export function pathOf(folder: string, request: WorktreeRequest): string {
  return join(folder, placeWay(request));
}

export function slotOf({ slot }: PlaceRequest): string | undefined {
  return slot === undefined ? undefined : `${slot.pool} ${slot.number}`;
}

/** The refs that a task has. */
export interface TaskRefs {
  readonly branch: string;
  readonly saved: string;
}

export function refsOf(request: WorktreeRequest): TaskRefs {
  const { run, known } = request;
  const branch = known?.branch ?? taskBranch(run, placeName(request));
  return { branch, saved: savedRef(branch) };
}

/** A place of this kind has all of them. */
export type WorktreePlaceRecord = Place & { readonly branch: string; readonly base: string };
