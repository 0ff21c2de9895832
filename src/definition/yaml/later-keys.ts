/**
 * Keys that have their place and meaning already, but nothing behind them yet: an editor knows them, and whoever uses
 * one is told so. When a capability arrives, its keys leave this list.
 */
const undoing = 'undoing comes with a later version';
const artifacts = 'handing on files that git ignores comes with a later version';

export const laterTaskKeys: Readonly<Record<string, string>> = {
  undo: undoing,
  artifacts,
};

export const laterWorkflowKeys: Readonly<Record<string, string>> = {
  pool: 'pools of worktrees come with a later version',
  deliver: 'delivering what a run has made comes with a later version',
  rollback: 'rolling back comes with a later version',
  migrations: 'migrations come with a later version',
};

export const workspaceModes = ['worktree', 'shared', 'directory', 'remote'] as const;

export const laterModeReason = 'other kinds of workspaces come with a later version';

export function isLaterMode(mode: string): mode is 'directory' | 'remote' {
  return mode === 'directory' || mode === 'remote';
}
