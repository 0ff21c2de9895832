/**
 * Keys that have their place and meaning already, but nothing behind them yet: an editor knows them, and whoever uses
 * one is told so. When a capability arrives, its keys leave this list.
 */
const undoing = 'undoing comes with a later version';
const places = 'workspaces come with a later version';

export const laterTaskKeys: Readonly<Record<string, string>> = {
  undo: undoing,
  base: places,
  artifacts: places,
  setup: places,
  workspace: places,
};

export const laterWorkflowKeys: Readonly<Record<string, string>> = {
  base: places,
  setup: places,
  workspace: places,
  pool: places,
  deliver: places,
  rollback: 'rolling back comes with a later version',
  migrations: 'migrations come with a later version',
};
