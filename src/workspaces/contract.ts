/** A place of its own for a task: a worktree of the repository, on a branch of its own. */
export interface Place {
  /** The root of the worktree, absolute. */
  readonly path: string;
  readonly branch: string;
  /** The commit it began from: what its needs have made. */
  readonly base: string;
  /** Names this one place: what bears another is not ours. */
  readonly token: string;
}

/** The git repository around the folder of a run. */
export interface RepositoryOrigin {
  readonly root: string;
  /** The folder of the objects and branches. */
  readonly commonDir: string;
  /** The commit the run begins from. */
  readonly base: string;
  /** The way from the root to the folder of the run. */
  readonly prefix: string;
}

export interface FoundRepository extends RepositoryOrigin {
  /** Files that are changed or untracked: no worktree has them. */
  readonly uncommitted: number;
}

/** Which task of which run, in which repository. */
export interface PlaceRequest {
  readonly run: string;
  readonly task: string;
  /** How often the task was begun from scratch before: each time it has a place of its own. */
  readonly generation: number;
  /** Of a place that is not recorded: the same after a crash. */
  readonly token: string;
  readonly repository: RepositoryOrigin;
  /** Paths in the folder of the run that git does not have, and are copied. */
  readonly copy: readonly string[];
  /** The folder of the run. */
  readonly folder: string;
  /** As it is recorded, if it is. */
  readonly known?: Place;
}

export interface Prepared {
  readonly place: Place;
  /** It was recorded, and gone: it was made again, from what it had left in git. */
  readonly isRecreated: boolean;
}

export interface IntegrateRequest extends PlaceRequest {
  readonly known: Place;
  /** Of the attempt whose work this is: by it, what is there already is recognised. */
  readonly attempt: string;
  readonly seq: number;
  /** For the commit: the same whenever it is done again. */
  readonly at: number;
  /** Leaves the conflict in the worktree, for the agent to solve. */
  readonly leavesConflict: boolean;
}

export type Integration =
  | { readonly type: 'integrated'; readonly result: string; readonly commit: string }
  | { readonly type: 'conflict'; readonly files: readonly string[]; readonly report: string };

export type CleanupPolicy =
  'remove-when-clean-else-archive' | 'keep' | 'remove-on-success' | 'archive-on-failure' | 'archive';

export interface CleanRequest extends PlaceRequest {
  readonly known: Place;
  /** The commit that holds what the task has made, if it was to make something. */
  readonly result?: string;
  /** Names what is kept of it: the same whenever it is done again. */
  readonly at: number;
}

export interface Cleaned {
  readonly how: 'removed' | 'archived' | 'kept';
  readonly reason: string;
  readonly ref?: string;
}

/**
 * The places where attempts work. Each method may be killed anywhere and called again, and never touches the user's own
 * checkout, index or branches. Errors: `WORKSPACE_DRIFTED` (somebody has changed what only we should), `GIT_FAILED`.
 */
export interface Workspaces {
  /** The repository around a folder; undefined if there is none in which one could work. Throws `BASE_UNKNOWN`. */
  find(folder: string, base: string | undefined): Promise<FoundRepository | undefined>;
  prepare(request: PlaceRequest): Promise<Prepared>;
  /** Brings what the task has left to the branch of the run. */
  integrate(request: IntegrateRequest): Promise<Integration>;
  /** Removes the place, if nothing is lost by that. */
  clean(request: CleanRequest, policy: CleanupPolicy): Promise<Cleaned>;
}
