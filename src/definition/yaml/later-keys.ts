/**
 * Keys that have their place and meaning already, but nothing behind them yet: an editor knows them, and whoever uses
 * one is told so. When a capability arrives, its keys leave this list.
 */
const agents = 'agents come with a later version';
const undoing = 'undoing comes with a later version';
const places = 'workspaces come with a later version';

export const laterTaskKeys: Readonly<Record<string, string>> = {
  agent: agents,
  prompt: agents,
  permissions: agents,
  session: agents,
  check: agents,
  model: agents,
  effort: agents,
  'max-turns': agents,
  args: agents,
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
  budget: 'budgets come with a later version',
  rollback: 'rolling back comes with a later version',
  migrations: 'migrations come with a later version',
};
