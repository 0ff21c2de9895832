import type { RepositoryOrigin } from './contract.ts';
import type { WorkText } from './work-text.ts';

/** What a run is and has done, for those who are to take what it made. */
export interface RunAccount {
  readonly run: string;
  readonly workflow: string;
  readonly tasks: readonly TaskAccount[];
  /** For people: what agents have used. */
  readonly usage?: string;
  /** From its beginning until now. */
  readonly tookMs?: number;
}

/** What a task is and has done. */
export interface TaskAccount {
  readonly task: string;
  readonly status: string;
  readonly text: WorkText;
  /** It has brought something to the branch of the run. */
  readonly hasChanged: boolean;
  /** The command that has decided whether it is done. */
  readonly check?: string;
  /** The conversation in which it was done. */
  readonly session?: { readonly agent: string; readonly id: string };
  /** For people. */
  readonly usage?: string;
  readonly tookMs?: number;
}

/** `auto`: the branch is moved forward if that is possible, else a merge commit is made. */
export type MergeStrategy = 'auto' | 'ff-only' | 'merge' | 'squash';

export interface RunMerge {
  readonly repository: RepositoryOrigin;
  readonly account: RunAccount;
  readonly strategy: MergeStrategy;
  /** Nothing is changed; it is said what would be done. */
  readonly isDryRun: boolean;
}

/** How the work of a run came into the branch that is checked out. */
export interface RunMerged {
  /** `already`: the branch has had it before. */
  readonly how: 'fast-forward' | 'merge' | 'squash' | 'already';
  /** That is checked out, without `refs/heads/`. */
  readonly branch: string;
  /** What it was at. */
  readonly from: string;
  /** What it is at now, or was brought to before; of a dry run, absent if it would have to be made. */
  readonly commit?: string;
  /** The files that are changed by it. */
  readonly files: readonly string[];
  /** Of these, the submodules: their own files stay as they are. */
  readonly submodules: readonly string[];
  /** Of these, those that tell programs what to do: Piton, agents, git, continuous integration. */
  readonly steering: readonly string[];
}

export interface PullRequestOrder {
  readonly repository: RepositoryOrigin;
  readonly account: RunAccount;
  /** Absent: what the remote repository takes for its main branch. */
  readonly base?: string;
  /** As what the branch of the run is pushed; absent: by its own name. */
  readonly branch?: string;
  readonly isDraft: boolean;
  readonly title?: string;
  readonly body?: string;
}

/** A pull request with the work of a run, opened now or before. */
export interface PullRequest {
  readonly url: string;
  readonly remote: string;
  readonly branch: string;
  readonly base: string;
  readonly commit: string;
  /** It was there before. */
  readonly existed: boolean;
  /** The remote branch had to be moved. */
  readonly pushed: boolean;
}

/** What the program that opens a pull request is started with. It writes a `PullRequest` to `$PITON_OUTPUT`. */
export interface DeliveryProcess {
  readonly argv: readonly string[];
  /** On standard input. */
  readonly input: string;
}

export interface DiffOrder {
  readonly repository: RepositoryOrigin;
  /** A commit. */
  readonly from: string;
  readonly to: DiffSide;
  readonly form: DiffForm;
  /** For people: coloured, unless the user's git is told otherwise, or it holds what a terminal would obey. That is written out. */
  readonly isColoured: boolean;
  readonly columns: number;
}

/** `run`: what its branch is at. `place`: a worktree with all that is in it now; `otherwise`: if it is gone. */
export type DiffSide =
  | { readonly type: 'run'; readonly run: string }
  | { readonly type: 'commit'; readonly commit: string }
  | { readonly type: 'place'; readonly path: string; readonly otherwise: string };

export type DiffForm = 'stat' | 'patch' | 'name-only';

/** What a run or a task has changed, between two commits or trees. */
export interface Diff {
  readonly from: string;
  /** A commit or a tree. */
  readonly to: string;
  readonly files: readonly DiffFile[];
  /** As git writes it. */
  readonly text: string;
  /** What the user's git is configured to page with. */
  readonly pager?: string;
}

/** One changed file of a `Diff`. */
export interface DiffFile {
  readonly path: string;
  /** Lines; absent of a binary file. */
  readonly added?: number;
  readonly removed?: number;
}

/**
 * Hands over what a run has made. The only part of Piton that touches the user's checkout and remote repositories, and only
 * when a person or the workflow wants it. Each method may be killed anywhere and called again.
 */
export interface Delivery {
  /**
   * Into the branch that is checked out, if nothing of the user's is lost or changed by it. Throws `MERGE_REFUSED`,
   * `DELIVERY_CONFLICT` (both: nothing was changed), `IDENTITY_MISSING`, `NOTHING_TO_DELIVER`.
   */
  merge(order: RunMerge): Promise<RunMerged>;
  /** Throws `NOTHING_TO_DELIVER`, `PUSH_REFUSED`, `PUSH_FAILED`, `PULL_REQUEST_FAILED` (the branch was pushed). */
  openPullRequest(order: PullRequestOrder): Promise<PullRequest>;
  /** The same in a process of its own. */
  process(order: PullRequestOrder): Promise<DeliveryProcess>;
  /** Changes nothing. Throws `NOTHING_TO_DELIVER`. */
  diff(order: DiffOrder): Promise<Diff>;
}
