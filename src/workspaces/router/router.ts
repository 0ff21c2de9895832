import { isAbsolute } from 'node:path';
import type { KnownRequest, PlaceRequest, RepositoryOrigin, Workspaces } from '../contract.ts';
import type { Look, PlaceAdapter, Stray, Leftovers, PlaceCare } from '../upkeep-contract.ts';

/** A kind of places that are on this machine: what is left behind of them can be found and kept. */
export type LocalPlaces = PlaceAdapter & Leftovers;

export type WorktreePlaces = LocalPlaces &
  Pick<Workspaces, 'find' | 'uncommitted' | 'assertFree' | 'witness' | 'missing' | 'fork'>;

export type DirectoryPlaces = LocalPlaces & {
  /** Whether a path is in one of the folders that this kind alone writes to. */
  isOwn(path: string): boolean;
};

/** Each is opened when the first place of its kind is asked for. */
export interface PlaceKinds {
  worktree(): Promise<WorktreePlaces>;
  directory(): Promise<DirectoryPlaces>;
  remote(): Promise<PlaceAdapter>;
  artifacts(): Promise<Pick<Workspaces, 'keepArtifacts' | 'fork'>>;
}

export type RoutedPlaces = Workspaces & PlaceCare & Leftovers;

/** Hands every request to the kind of places that it is about. */
export function routeWorkspaces(kinds: PlaceKinds): RoutedPlaces {
  const opened = openOnce(kinds);
  const kindOf = (request: Asking): Promise<PlaceAdapter> => opened[nameOf(request)]();
  return Object.freeze({
    ...routePlaces(kindOf),
    ...routeLeftovers(opened),
    find: async (folder, base) => (await opened.worktree()).find(folder, base),
    uncommitted: async (repository) => (await opened.worktree()).uncommitted(repository),
    assertFree: async (repository, run) => (await opened.worktree()).assertFree(repository, run),
    witness: async (repository, run) => (await opened.worktree()).witness(repository, run),
    missing: async (repository, names) => (await opened.worktree()).missing(repository, names),
    fork: async (order) => {
      if (order.repository !== undefined) await (await opened.worktree()).fork(order);
      if (order.artifacts.length > 0) await (await opened.artifacts()).fork(order);
    },
    keepArtifacts: async (order) => (await opened.artifacts()).keepArtifacts(order),
  } satisfies RoutedPlaces);
}

type Asking = Pick<PlaceRequest, 'known' | 'mode'>;
type KindName = 'worktree' | 'directory' | 'remote';

/** What is recorded counts: a workflow that was changed since does not change where the work is. */
function nameOf({ known, mode }: Asking): KindName {
  return known === undefined ? mode.mode : (known.kind ?? 'worktree');
}

function openOnce(kinds: PlaceKinds): PlaceKinds {
  return {
    worktree: once(() => kinds.worktree()),
    directory: once(() => kinds.directory()),
    remote: once(() => kinds.remote()),
    artifacts: once(() => kinds.artifacts()),
  };
}

function once<Opened>(open: () => Promise<Opened>): () => Promise<Opened> {
  let opening: Promise<Opened> | undefined;
  return () => (opening ??= open());
}

function routePlaces(kindOf: (request: Asking) => Promise<PlaceAdapter>): PlaceAdapter {
  return {
    prepare: async (request) => (await kindOf(request)).prepare(request),
    enter: async (request, order) => (await kindOf(request)).enter(request, order),
    save: async (request) => (await kindOf(request)).save(request),
    integrate: async (request) => (await kindOf(request)).integrate(request),
    clean: async (request, policy) => (await kindOf(request)).clean(request, policy),
    look: (requests) => lookAtAll(requests, kindOf),
  };
}

/** Those of one kind are looked at together: that is much faster than one by one. */
async function lookAtAll(
  requests: readonly KnownRequest[],
  kindOf: (request: Asking) => Promise<PlaceAdapter>,
): Promise<readonly Look[]> {
  const looks = new Map<KnownRequest, Look>();
  const groups = Map.groupBy(requests, nameOf);
  await Promise.all(
    [...groups.values()].map(async (group) => {
      const seen = await (await kindOf(group[0]!)).look(group);
      seen.forEach((look, index) => looks.set(group[index]!, look));
    }),
  );
  return requests.map((request) => looks.get(request)!);
}

function routeLeftovers({ worktree, directory }: PlaceKinds): Leftovers {
  const both = async <T>(ask: (kind: LocalPlaces) => Promise<readonly T[]>): Promise<readonly T[]> =>
    (await Promise.all([worktree().then(ask), directory().then(ask)])).flat();
  const ownerOf = async ({ kind, name }: Stray): Promise<LocalPlaces> => {
    const folders = await directory();
    return kind === 'folder' && folders.isOwn(name) ? folders : worktree();
  };
  return {
    strays: (repository, recorded) => both((kind) => kind.strays(repository, recorded)),
    archives: (repository) => both((kind) => kind.archives(repository)),
    cleanStray: async (repository, stray) => (await ownerOf(stray)).cleanStray(repository, stray),
    restore: async (repository: RepositoryOrigin | undefined, ref: string, folder: string) => {
      // What is kept without git is a folder, and named by its path.
      const kind = isAbsolute(ref) ? await directory() : await worktree();
      return kind.restore(repository, ref, folder);
    },
  };
}
