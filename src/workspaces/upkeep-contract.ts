import type { CleanupPolicy } from '../model/index.ts';
import type { Cleaned, KnownRequest, Place, PlaceRequest, PlaceWork, RepositoryOrigin } from './contract.ts';

export interface CleanRequest extends PlaceRequest {
  readonly known: Place;
  /** The commit that holds what the task has made, if it was to make something. */
  readonly result?: string;
  /** How the task ended. */
  readonly hasSucceeded: boolean;
  /** Names what is kept of it: the same whenever it is done again. */
  readonly at: number;
}

export type Health = 'clean' | 'dirty' | 'missing' | 'drifted' | 'unknown';

/** How a recorded place is, seen by looking. */
export interface Look {
  readonly token: string;
  readonly health: Health;
  /** For people: what is dirty, or how it drifted. */
  readonly text: string;
}

/** Something in our folders or among our refs that no record explains. */
export interface Stray {
  readonly kind: 'folder' | 'worktree' | 'branch';
  /** Its path, or the whole name of the ref. */
  readonly name: string;
  readonly run?: string;
  readonly task?: string;
  /** For people. */
  readonly text: string;
}

export interface KeptArchive {
  /** Of git; of a place without git, the path of the folder. */
  readonly ref: string;
  readonly run: string;
  readonly task: string;
  readonly at: number;
}

/** What is recorded in the store: whatever else is found is a stray. */
export interface Recorded {
  readonly runs: readonly string[];
  readonly places: readonly Place[];
}

/** What is recorded, with the tasks themselves: what goes by their names in git does not always tell them. */
export interface RecordedTasks extends Recorded {
  readonly tasks: readonly {
    readonly run: string;
    readonly task: string;
    /** The last one: what earlier ones have left is there too. */
    readonly generation: number;
  }[];
}

/**
 * What a ref keeps beside archives. `commit`: one that nothing else may lead to; `saved`: the files of a place as they were
 * last saved; `tip`: where the branch of a run was that is gone; `branch`: that of a run that is recorded.
 */
export type KeptWhat = 'commit' | 'saved' | 'tip' | 'branch';

export interface KeptRef {
  readonly ref: string;
  readonly what: KeptWhat;
  /** As it goes in refs, if nobody knows it any more; so does the task. */
  readonly run: string;
  /** Absent: it is of the run as a whole. */
  readonly task?: string;
  /** When the run last committed something. */
  readonly at: number;
}

/** A run whose branch may have been taken. */
export interface RunTaken {
  readonly run: string;
  /** The branch that it was handed over to, if the journal says so. */
  readonly into?: string;
}

/** What becomes of single places when nobody works there any more. */
export interface PlaceCare {
  /** Removes the place, if nothing is lost by that. May be killed anywhere and called again. */
  clean(request: CleanRequest, policy: CleanupPolicy): Promise<Cleaned>;
  /** Changes nothing. In the order of the requests. */
  look(requests: readonly KnownRequest[]): Promise<readonly Look[]>;
}

/** One kind of places. */
export interface PlaceAdapter extends PlaceWork, PlaceCare {}

/** What is left of places on this machine. */
export interface Leftovers {
  /** What no record explains. Changes nothing. */
  strays(repository: RepositoryOrigin | undefined, recorded: Recorded): Promise<readonly Stray[]>;
  /** Archives it first, unless it holds nothing. */
  cleanStray(repository: RepositoryOrigin | undefined, stray: Stray): Promise<Cleaned>;
  archives(repository: RepositoryOrigin | undefined): Promise<readonly KeptArchive[]>;
  /** Lays an archive out in a folder that is not there yet. */
  restore(repository: RepositoryOrigin | undefined, ref: string, folder: string): Promise<void>;
}

/** Measures and removes what is kept, for whoever decides that it was kept long enough. */
export interface KeptCare {
  /** What a folder (absolute) takes of the disk, or what an archive alone holds. */
  bytesOf(repository: RepositoryOrigin | undefined, name: string): Promise<number>;
  /** What is kept beside archives, unless a place that stands explains it. Changes nothing. */
  keptRefs(repository: RepositoryOrigin, recorded: RecordedTasks): Promise<readonly KeptRef[]>;
  /** Also another ref that keeps something. For good: what it alone holds is lost. */
  dropArchive(repository: RepositoryOrigin | undefined, ref: string): Promise<void>;
  /** Of the branches of these runs, those whose commits a branch of the user's holds too, or all that they have changed. */
  mergedBranches(repository: RepositoryOrigin, runs: readonly RunTaken[]): Promise<readonly MergedBranch[]>;
  /** If it was squashed, it is archived first. False: it has changed since, or is needed again, and stays. */
  dropBranch(repository: RepositoryOrigin, branch: MergedBranch): Promise<boolean>;
}

/** What brings the files of a run from one repository to another. */
export interface FileCare {
  /**
   * Writes all that the refs of a run lead to into a file that any git can fetch from, without `base` and what came before it. Gives
   * the refs; `isWritten` is false if all of them lead to what is left out.
   */
  bundle(repository: RepositoryOrigin, order: BundleRequest): Promise<Bundled>;
  /**
   * Adds the objects of such a file, and changes no ref. False: the repository has not what they build on. Throws `REF_NOT_OURS` if a ref
   * is not of this run, `GIT_FAILED` if an object is malformed or missing.
   */
  unpack(repository: RepositoryOrigin, order: UnpackRequest): Promise<boolean>;
  /** Makes refs of a run again, whose objects are there. Those that are there stay as they are. Throws `REF_NOT_OURS`. */
  restoreRefs(repository: RepositoryOrigin, order: RefsRequest): Promise<RestoredRefs>;
}

export interface BundleRequest {
  readonly run: string;
  readonly file: string;
  readonly base?: string;
}

export interface Bundled {
  readonly refs: Readonly<Record<string, string>>;
  readonly isWritten: boolean;
}

export interface UnpackRequest extends RefsRequest {
  /** Absent: all that the refs lead to is there already, or is nowhere. */
  readonly file?: string;
  readonly base?: string;
}

export interface RefsRequest {
  readonly run: string;
  readonly refs: Readonly<Record<string, string>>;
}

/** What became of refs that were to be made again. */
export interface RestoredRefs {
  readonly restored: readonly string[];
  /** They are there, and point to something else. */
  readonly kept: readonly string[];
}

/** All that is asked of places apart from the work in them. */
export interface Upkeep extends PlaceCare, Leftovers, KeptCare, FileCare {}

export interface MergedBranch {
  readonly run: string;
  /** The whole name of the ref. */
  readonly branch: string;
  readonly tip: string;
  /** The branch that holds it too. */
  readonly into: string;
  /** It was squashed: a commit of that branch that has all that was changed, but not the commits themselves. */
  readonly squash?: string;
}
