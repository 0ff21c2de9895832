import type { CommandDraft, TaskDraft } from '../definition/index.ts';
import type { WorkspaceSpec } from '../model/index.ts';

/**
 * Makes a worktree usable before the first attempt in it: a command, or what is to be copied and run. Done again after an
 * interruption, with the shell, environment and secrets of the task. `copy`: files that git does not have, in the folder of
 * the run.
 */
type Setup = string | { readonly run?: CommandDraft['run']; readonly copy?: readonly string[] };

/** Where a task that is done by a command or an agent works. */
export interface PlaceOptions {
  /**
   * `worktree`: a git worktree of its own, whose work is brought to the branch of the run; `shared`: the folder of the run.
   * Default: what the workflow says.
   */
  readonly workspace?: WorkspaceSpec['mode'];
  /** Default: that of the workflow; false: none. */
  readonly setup?: Setup | false;
}

/** Where the tasks of a workflow work, if they do not say otherwise. */
export interface PlaceSettings {
  /**
   * Default: in a git repository and with agents that write, `worktree` for whoever writes or is to see what was written;
   * else `shared`.
   */
  readonly workspace?: WorkspaceSpec['mode'];
  /** The branch or commit that runs begin from, where tasks work in worktrees; default: HEAD. */
  readonly base?: string;
  readonly setup?: Setup;
}

/** What the typed faces of commands and agents come down to. */
export interface AnyPlaceOptions extends PlaceOptions {
  readonly onConflict?: TaskDraft['onConflict'];
  readonly shell?: string;
}

/** The task with its place, or with what the workflow gives to all of its commands and agents. */
export function withPlace(draft: TaskDraft, options: AnyPlaceOptions, all: PlaceSettings): TaskDraft {
  const { workspace, setup = inheritedSetup(draft, options, all), onConflict, shell } = options;
  return { ...draft, workspace: workspaceDraft(workspace), setup: setupDraft(setup, shell), onConflict };
}

function inheritedSetup(
  { work }: TaskDraft,
  { workspace }: AnyPlaceOptions,
  { setup }: PlaceSettings,
): Setup | false {
  const isProcess = work.type === 'command' || work.type === 'agent';
  return setup !== undefined && isProcess && workspace !== 'shared' ? setup : false;
}

export function workspaceDraft(mode: WorkspaceSpec['mode'] | undefined): TaskDraft['workspace'] {
  return mode === undefined ? undefined : { mode };
}

function setupDraft(setup: Setup | false, shell: string | undefined): TaskDraft['setup'] {
  if (setup === false) return undefined;
  const { run, copy } = typeof setup === 'string' ? { run: setup, copy: undefined } : setup;
  return { copy, work: run === undefined ? undefined : { type: 'command', run, shell } };
}
