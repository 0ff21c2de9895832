/**
 * Keys that have their place and meaning already, but nothing behind them yet: an editor knows them, and whoever uses
 * one is told so. When a capability arrives, its keys leave this list.
 */
const agents = 'agents come with a later version';
const commands = 'shell commands come with a later version';
const people = 'approvals come with a later version';
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
  approval: people,
  run: commands,
  undo: commands,
  env: commands,
  secrets: commands,
  'working-directory': places,
  base: places,
  artifacts: places,
  setup: places,
  workspace: places,
};

export const laterWorkflowKeys: Readonly<Record<string, string>> = {
  env: commands,
  secrets: commands,
  base: places,
  setup: places,
  workspace: places,
  pool: places,
  deliver: places,
  budget: 'budgets come with a later version',
  rollback: 'rolling back comes with a later version',
  migrations: 'migrations come with a later version',
};
