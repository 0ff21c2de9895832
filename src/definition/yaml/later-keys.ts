/**
 * Keys that have their place and meaning already, but nothing behind them yet: an editor knows them, and whoever uses
 * one is told so. When a capability arrives, its keys leave this list.
 */
export const laterTaskKeys: Readonly<Record<string, string>> = {
  undo: 'undoing comes with a later version',
};

export const laterWorkflowKeys: Readonly<Record<string, string>> = {
  rollback: 'rolling back comes with a later version',
};
