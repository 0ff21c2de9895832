import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PitonError } from '../../base/index.ts';
import type { Place, Prepared, RepositoryOrigin, WorkRequest } from '../contract.ts';
import { moveRef, placeWay, readRef, readSaved, type SavedTree } from '../git/index.ts';
import { ownRef, type Kept } from './keep.ts';
import { layOutHere } from './lay-out-here.ts';
import type { RemotePlace } from './layout.ts';
import { layOutThere } from './lay-out.ts';
import type { Resolved } from './ports.ts';

/**
 * The mirror of a place: a worktree here with the same files, in which all that has to be merged, shown or kept is dealt with as
 * for any other worktree. A ref remembers what was last the same in both: whichever differs from it has been worked in since.
 */
export type MirrorRequest = Omit<WorkRequest, 'known'> & {
  readonly known: Place & { readonly branch: string; readonly base: string };
  readonly repository: RepositoryOrigin;
};

export type Placed = WorkRequest & { readonly known: RemotePlace; readonly repository: RepositoryOrigin };

/** The same request for the mirror: it is filled by what comes home, not from here. */
export function mirrorRequest<Request extends Placed>(
  options: Resolved,
  request: Request,
  snapshot: string | undefined,
): Omit<Request, 'known' | 'order' | 'slot'> & MirrorRequest {
  const { order: _, slot: _slot, snapshot: _snapshot, known, ...rest } = request;
  const place = {
    path: join(options.folder, placeWay(rest)),
    token: known.token,
    branch: known.branch,
    base: known.base,
  };
  const nothing = { copy: [], caches: [], ports: 0, artifactsOf: [], isAdopted: false };
  const mirrored: unknown = {
    ...rest,
    ...nothing,
    mode: { mode: 'worktree' },
    known: place,
    ...(snapshot !== undefined && { snapshot }),
  };
  return mirrored as Omit<Request, 'known' | 'order' | 'slot'> & MirrorRequest;
}

/** Makes the mirror the same as the place, if that has been worked in. Throws `WORKSPACE_DRIFTED` if both have been. */
export async function updateMirror(options: Resolved, request: Placed, kept: Kept): Promise<void> {
  const { git } = options;
  const mirror = mirrorRequest(options, request, kept.commit);
  const isComing = (await readOwn(options, request, 'coming')) !== undefined;
  if (existsSync(mirror.known.path) && !isComing && (await isSame(options, request, kept))) return;
  // Not made again if it is there: what was laid out in it is noted there.
  await (await options.worktree()).prepare(mirror);
  const here = await saveMirror(options, request, kept.commit);
  if (here === undefined) throw new Error(`${mirror.known.path} was made, and is not there`);
  if (!isComing) await assertUntouched(options, request, { here, kept });
  await remember(options, request, { what: 'coming', commit: kept.commit });
  if (here.tree !== kept.tree || here.head !== kept.head)
    await layOutHere(git, mirror, { from: here.tree, kept });
  await remember(options, request, { what: 'same', commit: kept.commit });
  await remember(options, request, { what: 'coming', commit: undefined });
}

type What = 'same' | 'coming';

async function readOwn({ git }: Resolved, request: Placed, what: What): Promise<string | undefined> {
  return readRef(git, request.repository, ownRef({ ...request, place: request.known }, what));
}

/** Whether the place is as it was when both were the same. */
async function isSame(options: Resolved, request: Placed, kept: Kept): Promise<boolean> {
  const same = await sameOf(options, request);
  return same?.tree === kept.tree && same.head === kept.head;
}

async function sameOf(options: Resolved, request: Placed): Promise<SavedTree | undefined> {
  const commit = await readOwn(options, request, 'same');
  return commit === undefined ? undefined : readSaved(options.git, request.repository, commit);
}

async function assertUntouched(
  options: Resolved,
  request: Placed,
  { here, kept }: { readonly here: SavedTree; readonly kept: Kept },
): Promise<void> {
  const same = await sameOf(options, request);
  if (same === undefined || here.tree === same.tree || here.tree === kept.tree) return;
  const { path } = mirrorRequest(options, request, kept.commit).known;
  const { known, task } = request;
  const message = `${task} was worked on in two places: ${known.path} on ${known.remote}, and ${path} here.`;
  throw new PitonError('WORKSPACE_DRIFTED', message, {
    path,
    there: known.path,
    remedy: `Bring what is worth keeping of ${path} there, delete that folder, and \`piton retry\`.`,
  });
}

async function saveMirror(
  options: Resolved,
  request: Placed,
  snapshot: string | undefined,
): Promise<SavedTree | undefined> {
  const worktree = await options.worktree();
  const saving = { ...mirrorRequest(options, request, snapshot), label: 'what was laid out' };
  const commit = await worktree.save(saving);
  return commit === undefined ? undefined : readSaved(options.git, request.repository, commit);
}

export async function remember(
  options: Resolved,
  request: Placed,
  { what, commit }: { readonly what: What; readonly commit: string | undefined },
): Promise<void> {
  const ref = ownRef({ ...request, place: request.known }, what);
  const from = await readOwn(options, request, what);
  if (from !== commit) await moveRef(options.git, request.repository, { ref, to: commit, from });
}

/** Makes the place the same as the mirror: what was laid out here is checked, or made to fit, there. */
export async function updatePlace(
  options: Resolved,
  request: Placed,
  { kept, order }: { readonly kept: Kept; readonly order?: string },
): Promise<void> {
  const here = await saveMirror(options, request, kept.commit);
  if (here === undefined) return;
  const head = here.head ?? kept.head;
  if (order !== undefined || here.tree !== kept.tree || head !== kept.head) {
    const layout = { head, files: here.commit, tree: kept.tree };
    await layOutThere(options, request, order === undefined ? layout : { ...layout, order });
  }
  await remember(options, request, { what: 'same', commit: here.commit });
}

export interface Latest {
  readonly saved: SavedTree;
  readonly prepared: Prepared;
}

/** The latest that is known here of a place that is gone there, laid out in the mirror: its archive, what came home, or its branch. */
export async function latestHere(options: Resolved, request: Placed): Promise<Latest> {
  const { snapshot } = request;
  const prepared = await (await options.worktree()).prepare(mirrorRequest(options, request, snapshot));
  const saved = await saveMirror(options, request, snapshot);
  if (saved === undefined) throw new Error(`${prepared.place.path} was made, and is not there`);
  return { saved, prepared };
}
