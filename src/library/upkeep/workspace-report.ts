import type { Health, PortBlock, Stray } from '../../workspaces/index.ts';

/** A place of a task, what is kept of one, or what nobody knows of. */
export interface WorkspaceReport {
  readonly run?: string;
  readonly task?: string;
  /** Of a place, what it is; else what was found. */
  readonly kind: 'worktree' | 'directory' | 'remote' | 'archive' | 'kept' | Stray['kind'] | 'run';
  readonly status: 'ready' | 'in use' | 'needs attention' | 'archived' | 'removed' | 'stray';
  /** By a look at it. `unknown`: it was not looked at, or could not be. */
  readonly health: Health;
  /** Why it is as it is, for people. */
  readonly reason: string;
  readonly path?: string;
  /** The machine it is on, if it is not this one. */
  readonly remote?: string;
  readonly branch?: string;
  /** The commit it began from. */
  readonly base?: string;
  /** The commit that holds its files as they were last saved. */
  readonly snapshot?: string;
  /** The commit that holds what came of it. */
  readonly result?: string;
  /** Where it is kept: a ref of git, or the path of a folder. */
  readonly ref?: string;
  /** When it was archived, or its run was last at work. */
  readonly at?: number;
  /** Its number in a pool. */
  readonly slot?: number;
  readonly ports?: PortBlock;
  /** The attempt that works there. */
  readonly owner?: string;
  /** What it takes of the disk, if that was asked for. */
  readonly bytes?: number;
}
