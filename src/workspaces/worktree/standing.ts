import { join } from 'node:path';
import type { Place, PlaceRequest, RepositoryOrigin } from '../contract.ts';
import {
  encodeName,
  findRecord,
  isSameOwner,
  readLink,
  readMarker,
  realPlace,
  runBranch,
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
  const real = await realPlace(path);
  const entry = await findRecord(repository, real);
  const link = await readLink(real);
  const marker = entry === undefined ? undefined : await readMarker(entry.gitDir);
  const isLinked = link.type === 'linked' && link.gitDir === entry?.gitDir;
  const worktree = isLinked
    ? { path: real, gitDir: link.gitDir, commonDir: await realPlace(repository.commonDir) }
    : undefined;
  return { path: real, link, entry, marker, worktree };
}

export function isOurs({ run, task }: WorktreeRequest, token: string, marker: Marker | undefined): boolean {
  return marker !== undefined && isSameOwner(marker, { run, task, token });
}

/** Under what a task goes in paths and refs: each time it is begun from scratch, it has another. */
export function nameOf({ task, generation }: Pick<PlaceRequest, 'task' | 'generation'>): string {
  return generation === 0 ? task : `${task}~${generation + 1}`;
}

export function pathOf(folder: string, request: WorktreeRequest): string {
  const { run, slot } = request;
  const name =
    slot === undefined ? encodeName(nameOf(request)) : `${encodeName(slot.pool)}~slot-${slot.number}`;
  return join(folder, encodeName(run), name);
}

export function slotOf({ slot }: PlaceRequest): string | undefined {
  return slot === undefined ? undefined : `${slot.pool} ${slot.number}`;
}

/** The refs that a task has. */
export interface TaskRefs {
  readonly branch: string;
  readonly saved: string;
  readonly run: string;
}

export function refsOf(request: WorktreeRequest): TaskRefs {
  const { run, known } = request;
  const branch = known?.branch ?? taskBranch(run, nameOf(request));
  return { branch, saved: savedRef(branch), run: runBranch(run) };
}

/** A place of this kind has all of them. */
export type WorktreePlaceRecord = Place & { readonly branch: string; readonly base: string };
