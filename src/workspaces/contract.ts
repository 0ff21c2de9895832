import type { WorkspaceSpec } from '../model/index.ts';
import type { WorkText } from './work-text.ts';

/** A place of its own for a task. */
export interface Place {
  /** Absent: a git worktree here. */
  readonly kind?: 'directory' | 'remote';
  /** Its root, absolute; on the machine `remote`, if it is there. */
  readonly path: string;
  /** Names this one place: what bears another is not ours. */
  readonly token: string;
  /** Of a worktree, here or elsewhere. */
  readonly branch?: string;
  /** Of a worktree: the commit it began from, what its needs have made. */
  readonly base?: string;
  /** The machine it is on, by its name in the configuration. */
  readonly remote?: string;
  /** Ports that nobody else is given while the place is there. */
  readonly ports?: PortBlock;
}

export interface PortBlock {
  readonly first: number;
  readonly count: number;
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

/** What kind of place is wanted. */
export type PlaceMode = Exclude<WorkspaceSpec, { readonly mode: 'shared' }>;

/** Which task of which run, and the place it is to have. */
export interface PlaceRequest {
  readonly run: string;
  readonly task: string;
  readonly mode: PlaceMode;
  /** How often the task was begun from scratch before: each time it has a place of its own. */
  readonly generation: number;
  /** Of a place that is not recorded: the same after a crash. */
  readonly token: string;
  /** The folder of the run. */
  readonly folder: string;
  /** Around that folder, if it is in one. Always there for `worktree` and `remote`. */
  readonly repository?: RepositoryOrigin;
  /** The commit that the branch of the run was last moved to, as the journal has it: absent, if nothing was brought in yet. */
  readonly tip?: string;
  /** Paths in the folder of the run that git does not have, and are copied. */
  readonly copy: readonly string[];
  /** Folders of the place (paths as in `copy`) that all places of this repository share. */
  readonly caches: readonly string[];
  /** So many ports of its own. */
  readonly ports: number;
  /** Tasks whose artifacts are laid out in the place. */
  readonly artifactsOf: readonly string[];
  /** One of several places that the items of a for-each take in turn. `pool`: the address of the for-each. */
  readonly slot?: { readonly pool: string; readonly number: number };
  /** Its setup was done, by itself or by another who had the slot: if it has to be made again, that has to be told. */
  readonly isEquipped?: boolean;
  /** As it is recorded, if it is. */
  readonly known?: Place;
  /** Of a place that a fork has not made yet: the commit that the work began from in the other run. `snapshot` is of that run, too. */
  readonly inheritedBase?: string;
  /** A commit: the files as they were last saved. */
  readonly snapshot?: string;
  /** What a person wants done with it: carried out by `prepare`, once for each id. */
  readonly order?: PlaceOrder;
  /** A person takes it as it is, whatever is wrong with it. */
  readonly isAdopted: boolean;
}

/**
 * `recreate`: made again from what is committed on its branch; `restore`: made again as it was last saved (`from`: another
 * snapshot or archive); `discard`: made anew from the branch of the run. All of them archive first what is there.
 */
export interface PlaceOrder {
  readonly id: string;
  readonly action: 'recreate' | 'restore' | 'discard';
  readonly from?: string;
}

export interface Prepared {
  readonly place: Place;
  /** It was recorded, but not as it should be (or a person wanted it otherwise), and what was done about it. */
  readonly recovered?: Recovery;
  /** It is there, but what it needs could not be brought into it, and why. */
  readonly unfilled?: Error;
  /** Of a slot: the task that had it before, and what became of what it had left there. */
  readonly handedOver?: { readonly task: string; readonly cleaned: Cleaned };
}

export interface Recovery {
  /** For people: "it was gone". */
  readonly found: string;
  readonly how: 'recreated' | 'restored' | 'discarded';
  /** The commit it was made from. */
  readonly from?: string;
}

/** A place that was prepared, and the work in it. */
export interface WorkRequest extends PlaceRequest {
  readonly known: Place;
  /** The attempt whose work this is: by it, what is there already is recognised. */
  readonly attempt: string;
  /** What kind of attempt it is (`setup`, `check`…); absent: the work itself. */
  readonly kind?: string;
  readonly seq: number;
  /** For commits: the same whenever it is done again. */
  readonly at: number;
}

export interface SaveRequest extends WorkRequest {
  /** For people: "after tool 'Edit: src/a.ts'". */
  readonly label: string;
  /** The snapshot before: taken again, if nothing has changed since. */
  readonly previous?: string;
}

/** Work that is to be brought in: what has to be known to find out whether a person must be asked first. */
export interface MemberRequest extends WorkRequest {
  /** Patterns from the folder of the run; absent or none: it may write anything. */
  readonly writes?: readonly string[];
  /** Values that must not come into git, by the names of their variables. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** What the commit is to say. Absent: the name of the task. */
  readonly text?: WorkText;
  /** Changes of foreign refs that a person knows of already. */
  readonly knownRefs?: readonly RefChange[];
}

export interface IntegrateRequest extends MemberRequest {
  /** It has a check, so what comes of a merge is proposed, and checked before it counts. */
  readonly isChecked: boolean;
  /** What was proposed last, and has passed the check. */
  readonly verified?: Proposal;
  /** Others with the same check that wait to be brought in, in their order: they are merged along, if they fit. */
  readonly others: readonly MemberRequest[];
}

export interface RefChange {
  /** `config <key>`: no ref, but a part of the repository's configuration that starts programs; what it was is a short hash. */
  readonly ref: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** A merge that is not yet what the branch of the run points to. */
export interface Proposal {
  readonly commit: string;
  /** What the branch of the run was at. */
  readonly onto: string;
  /** The tasks that were merged along, by address, without the one that proposes. */
  readonly members: readonly string[];
}

export type Integration =
  | { readonly type: 'integrated'; readonly result: string; readonly commit: string }
  /** It is laid out in the place of the task: to be checked there, and integrated after that. */
  | ({ readonly type: 'proposed'; readonly result: string } & Proposal)
  /** Both sides are laid out in the place of the task, for its agent or a person. */
  | { readonly type: 'conflict'; readonly files: readonly string[]; readonly report: string }
  /** It holds secrets: named by their variables, with the file, or the commit whose message has one. Nothing was committed. */
  | {
      readonly type: 'secrets';
      readonly found: readonly {
        readonly path?: string;
        readonly commit?: string;
        readonly secret: string;
      }[];
    }
  /** It has written outside of `writes`. */
  | { readonly type: 'exceeded'; readonly files: readonly string[] }
  /** It has changed files that tell programs what to do, and that its `writes` do not name. */
  | { readonly type: 'steering'; readonly files: readonly string[] }
  /** Refs that are not Piton's were moved or deleted from within the place. What they pointed to is kept. */
  | { readonly type: 'refs'; readonly changes: readonly RefChange[] };

export interface Cleaned {
  readonly how: 'removed' | 'archived' | 'kept';
  readonly reason: string;
  readonly ref?: string;
}

/** A program that is to be started in a place. */
export interface PlacedOrder {
  readonly attempt: string;
  readonly argv: readonly string[];
  /** Absolute. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** What is brought into places here besides what git has: copies, artifacts, shared caches, ports. */
export interface Filling {
  /** What is there already is left alone. `root`: of the place. Gives the ports it has, if it wants some. */
  fill(request: PlaceRequest, root: string): Promise<PortBlock | undefined>;
  /** Whether a file (a path from the root) was brought, and is still as it was, or as where it came from: then nothing is lost with it. */
  isBrought(request: PlaceRequest, root: string, path: string): Promise<boolean>;
  /** The same of what was copied or linked, in a place of which nobody knows any more what was asked for. */
  isCopied(root: string, path: string): Promise<boolean>;
  /** It is gone: its ports may be given to others. */
  release(place: Pick<Place, 'path' | 'ports'>): Promise<void>;
}

/** What one attempt asks of its place. Each method may be killed anywhere and called again. */
export interface PlaceWork {
  prepare(request: PlaceRequest): Promise<Prepared>;
  /** How a program is started in a place: as it is; or, elsewhere, by a program that starts it there and stands for it here. */
  enter<Order extends PlacedOrder>(request: WorkRequest, order: Order): Promise<Order>;
  /** Keeps the files as they are now, beside what the agent commits by itself. Undefined: there is nothing to keep them in. */
  save(request: SaveRequest): Promise<string | undefined>;
  /** Brings what the task has left to the branch of the run. */
  integrate(request: IntegrateRequest): Promise<Integration>;
}

export type KnownRequest = PlaceRequest & { readonly known: Place };

/**
 * The places where attempts work, of all kinds, for whoever drives a run; what is left of them when nobody works there any more is the
 * affair of `Upkeep`. Never touches the user's own checkout, index or branches. Errors:
 * `WORKSPACE_DRIFTED` (somebody has changed what only we should), `WORKSPACE_GONE`, `WORKTREE_REFUSED`, `GIT_FAILED`…: the task is held.
 */
export interface Workspaces extends PlaceWork {
  /** The repository around a folder; undefined if there is none in which one could work. Throws `BASE_UNKNOWN`, `GIT_TOO_OLD`. */
  find(folder: string, base: string | undefined): Promise<RepositoryOrigin | undefined>;
  /** How many files are changed or untracked in the user's checkout: no worktree has them. */
  uncommitted(repository: RepositoryOrigin): Promise<number>;
  /** Throws `BRANCH_TAKEN` if somebody has refs of the names that a new run would give to its own. */
  assertFree(repository: RepositoryOrigin, run: string): Promise<void>;
  /** How far the journal of a run had gone when something of it was last brought in; undefined: nobody can tell. */
  witness(repository: RepositoryOrigin, run: string): Promise<Witness | undefined>;
  /** Which of these commits and refs the repository does not have. */
  missing(repository: RepositoryOrigin, names: readonly string[]): Promise<readonly string[]>;
  /**
   * Before a fork is made: keeps for it what it will begin with, whatever becomes of the other run. Throws `BRANCH_TAKEN`,
   * `WORKSPACE_DRIFTED` if that is not there any more.
   */
  fork(order: ForkOrder): Promise<void>;
  /** Keeps files for those who need the task: paths from the folder of the run. Throws `ARTIFACT_MISSING`. */
  keepArtifacts(order: ArtifactOrder): Promise<{ readonly bytes: number }>;
}

export interface Witness {
  readonly seq: number;
  /** The branch of the run. */
  readonly branch: string;
  /** The ref beside it, which keeps what was brought in. */
  readonly ref: string;
}

export interface ForkOrder {
  /** The new one, and the one that it is forked from. */
  readonly run: string;
  readonly of: string;
  readonly repository?: RepositoryOrigin;
  /** Where its branch begins; absent: nothing was brought in yet. */
  readonly tip?: string;
  /** Files of tasks that have not ended, as they were saved. */
  readonly saved: readonly { readonly task: string; readonly commit: string }[];
  /** Tasks whose artifacts others may need, and the attempt that made them. */
  readonly artifacts: readonly { readonly task: string; readonly by?: string }[];
}

export interface ArtifactOrder {
  readonly run: string;
  readonly task: string;
  /** Where the task worked: the folder of the run, or that in its place. */
  readonly folder: string;
  readonly paths: readonly string[];
  /** The attempt that made them: if they are gone, what was kept of it before counts. */
  readonly by?: string;
}
