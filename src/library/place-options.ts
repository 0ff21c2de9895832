import type { CommandDraft, TaskDraft } from '../definition/index.ts';
import { isProgram, type CleanupPolicy, type SandboxMode } from '../model/index.ts';

/**
 * `worktree`: a git worktree of its own, whose work is brought to the branch of the run; `directory`: an empty folder of its
 * own; `copy`: one that begins as a copy of a folder in the folder of the run, `.` being all of it; `remote`: a worktree on a
 * machine that stands under `remotes` in the configuration; `shared`: the folder of the run.
 */
export type Workspace =
  | 'worktree'
  | 'directory'
  | 'shared'
  | { readonly copy: string; readonly remote?: never }
  | { readonly remote: string; readonly copy?: never };

/**
 * Makes a place usable before the first attempt in it: a command, or what it is given and what is to be run. Done again
 * after an interruption, with the shell, environment and secrets of the task.
 */
type Setup = string | SetupOptions;

interface SetupOptions {
  readonly run?: CommandDraft['run'];
  /** Files that git does not have: paths in the folder of the run. */
  readonly copy?: readonly string[];
  /** So many free ports of its own: PITON_PORT is the first, PITON_PORTS all of them, separated by blanks. */
  readonly ports?: number;
  /** Folders that all places of the repository share, and git ignores: paths in the folder of the run. */
  readonly caches?: readonly string[];
}

/** Where a task that is done by a command or an agent works. */
export interface PlaceOptions {
  /** Default: what the workflow says. */
  readonly workspace?: Workspace;
  /** Default: that of the workflow; false: none. */
  readonly setup?: Setup | false;
  /** With `forEach`: so many places for all items, which take them in turn; default: one for each item. */
  readonly pool?: number;
  /** Files that it leaves and git ignores, kept for those who need it: paths in the folder of the run. */
  readonly artifacts?: readonly string[];
  /**
   * Whether its processes and its check can write only in their place, their temporary folder and package caches; default: `auto`
   * for agents with the permissions `read` and `edit`, else `off`.
   */
  readonly sandbox?: SandboxMode;
  /** `off`: contained processes reach only a loopback of their own; default `on`. */
  readonly network?: 'on' | 'off';
}

/** Where the tasks of a workflow work, if they do not say otherwise. */
export interface PlaceSettings {
  /**
   * Default: in a git repository and with agents that write, `worktree` for whoever writes or is to see what was written;
   * else `shared`.
   */
  readonly workspace?: Workspace;
  /** The branch or commit that runs begin from, where tasks work in worktrees; default: HEAD. */
  readonly base?: string;
  readonly setup?: Setup;
  /** What becomes of places whose tasks have ended; default: as configured. */
  readonly cleanup?: CleanupPolicy;
}

/** What the typed faces of commands and agents come down to. */
export interface AnyPlaceOptions extends PlaceOptions {
  readonly onConflict?: TaskDraft['onConflict'];
  readonly shell?: string;
}

/** The task with its place, or with what the workflow gives to all of its commands and agents. */
export function withPlace(draft: TaskDraft, options: AnyPlaceOptions, all: PlaceSettings): TaskDraft {
  const { workspace, setup = inheritedSetup(draft, options, all), shell } = options;
  const { pool, artifacts, onConflict, sandbox, network } = options;
  return {
    ...draft,
    workspace: workspaceDraft(workspace),
    setup: setupDraft(setup, shell),
    pool,
    artifacts,
    onConflict,
    sandbox,
    network,
  };
}

function inheritedSetup(
  { work }: TaskDraft,
  { workspace }: AnyPlaceOptions,
  { setup }: PlaceSettings,
): Setup | false {
  return setup !== undefined && isProgram(work) && workspace !== 'shared' ? setup : false;
}

export function workspaceDraft(workspace: Workspace | undefined): TaskDraft['workspace'] {
  if (workspace === undefined) return undefined;
  if (typeof workspace === 'string') return { mode: workspace };
  const { copy, remote } = workspace;
  return remote === undefined ? { mode: 'directory', copyOf: copy } : { mode: 'remote', remote };
}

function setupDraft(setup: Setup | false, shell: string | undefined): TaskDraft['setup'] {
  if (setup === false) return undefined;
  const { run, copy, ports, caches }: SetupOptions = typeof setup === 'string' ? { run: setup } : setup;
  return { copy, ports, caches, work: run === undefined ? undefined : { type: 'command', run, shell } };
}
