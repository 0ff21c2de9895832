import type { CommandSpec, Invocation } from './command-spec.ts';

/**
 * What a call can cause. `reads`: nothing of the repository is executed, whoever wrote it. `runs`: it executes what the project
 * says, so the project must be trusted. `decides`: also, it is for a person, and refused to the processes of a task. `stops`,
 * `trusts`: for a person too, but what ends something must be possible also where something has become suspicious.
 */
export type Power = 'reads' | 'runs' | 'stops' | 'decides' | 'trusts';

export interface CommandEntry {
  readonly name: string;
  /** Under which it stands in the help. */
  readonly group: string;
  readonly summary: string;
  readonly power: Power | ((given: Invocation) => Power);
  readonly isHidden?: boolean;
  /** Each command is imported only when it is called, or described in full. */
  load(): Promise<{ readonly command: CommandSpec }>;
}

const writing = 'Write workflows:';
const running = 'Run them:';
const looking = 'Look:';
const deciding = 'Decide:';
const taking = 'Take the result:';
const keeping = 'Keep in order:';

function readsPlaces(what: string | undefined, options: Invocation['options']): boolean {
  return what === 'list' || what === 'show' || options['dryRun'] === true;
}

function servicePower({ args, options }: Invocation): Power {
  if (options['print'] === true || args[0] === 'status') return 'reads';
  return args[0] === 'uninstall' ? 'stops' : 'decides';
}

export const commandTable: readonly CommandEntry[] = [
  {
    name: 'init',
    group: writing,
    summary: 'make a project here, with an example workflow',
    power: 'reads',
    load: () => import('./commands/init.ts'),
  },
  {
    name: 'demo',
    group: writing,
    summary: 'watch a run being killed and going on, in a temporary folder',
    power: 'reads',
    load: () => import('./commands/demo.ts'),
  },
  {
    name: 'validate',
    group: writing,
    summary: 'check workflow files',
    power: 'reads',
    load: () => import('./commands/validate.ts'),
  },
  {
    name: 'graph',
    group: writing,
    summary: 'draw a workflow',
    power: 'reads',
    load: () => import('./commands/graph.ts'),
  },
  {
    name: 'run',
    group: running,
    summary: 'start a run of a workflow',
    power: ({ options }) => (options['dryRun'] === true ? 'reads' : 'runs'),
    load: () => import('./commands/run.ts'),
  },
  {
    name: 'resume',
    group: running,
    summary: 'go on with a run where it was',
    power: ({ options }) => (options['dryRun'] === true ? 'reads' : 'decides'),
    load: () => import('./commands/resume.ts'),
  },
  {
    name: 'attach',
    group: running,
    summary: 'watch a run that is driven elsewhere',
    power: 'reads',
    load: () => import('./commands/attach.ts'),
  },
  {
    name: 'pause',
    group: running,
    summary: 'let what runs end, and start nothing new',
    power: 'stops',
    load: () => import('./commands/pause.ts'),
  },
  {
    name: 'cancel',
    group: running,
    summary: 'stop a run for good',
    power: 'stops',
    load: () => import('./commands/cancel.ts'),
  },
  {
    name: 'status',
    group: looking,
    summary: 'how a run stands',
    power: 'reads',
    load: () => import('./commands/status.ts'),
  },
  {
    name: 'list',
    group: looking,
    summary: 'the runs of this project',
    power: 'reads',
    load: () => import('./commands/list.ts'),
  },
  {
    name: 'logs',
    group: looking,
    summary: 'what tasks have printed, and what agents have said',
    power: 'reads',
    load: () => import('./commands/logs.ts'),
  },
  {
    name: 'search',
    group: looking,
    summary: 'find something in the conversations with agents',
    power: 'reads',
    load: () => import('./commands/search.ts'),
  },
  {
    name: 'usage',
    group: looking,
    summary: 'what agents have used, by day',
    power: 'reads',
    load: () => import('./commands/usage.ts'),
  },
  {
    name: 'history',
    group: looking,
    summary: 'the checkpoints of a run, and what each changed',
    power: 'reads',
    load: () => import('./commands/history.ts'),
  },
  {
    name: 'show',
    group: looking,
    summary: 'all about a run at a checkpoint, or about one task',
    power: 'reads',
    load: () => import('./commands/show.ts'),
  },
  {
    name: 'inbox',
    group: deciding,
    summary: 'all that waits for a person',
    power: 'reads',
    load: () => import('./commands/inbox.ts'),
  },
  {
    name: 'approve',
    group: deciding,
    summary: 'let a task begin that asks for approval, or an agent do what it asks for; or raise a budget',
    power: 'decides',
    load: () => import('./commands/approve.ts'),
  },
  {
    name: 'reject',
    group: deciding,
    summary: 'refuse a task that asks for approval, or an agent what it asks for',
    power: 'decides',
    load: () => import('./commands/reject.ts'),
  },
  {
    name: 'retry',
    group: deciding,
    summary: 'try a task again',
    power: 'decides',
    load: () => import('./commands/retry.ts'),
  },
  {
    name: 'skip',
    group: deciding,
    summary: 'go on without a task',
    power: 'decides',
    load: () => import('./commands/skip.ts'),
  },
  {
    name: 'tell',
    group: deciding,
    summary: 'say something to the agent that does a task',
    power: 'decides',
    load: () => import('./commands/tell.ts'),
  },
  {
    name: 'open',
    group: deciding,
    summary: "talk to a task's agent yourself, in its session",
    power: 'decides',
    load: () => import('./commands/open.ts'),
  },
  {
    name: 'resolve',
    group: deciding,
    summary: 'resolve the conflicts of a task with the work of others, by hand',
    power: 'decides',
    load: () => import('./commands/resolve.ts'),
  },
  {
    name: 'diff',
    group: taking,
    summary: 'what a run, or a task, has changed',
    power: 'reads',
    load: () => import('./commands/diff.ts'),
  },
  {
    name: 'merge',
    group: taking,
    summary: 'bring what a run has made into your branch',
    power: 'decides',
    load: () => import('./commands/merge.ts'),
  },
  {
    name: 'pr',
    group: taking,
    summary: 'push what a run has made, and open a pull request',
    power: 'decides',
    load: () => import('./commands/pr.ts'),
  },
  {
    name: 'workspace',
    group: keeping,
    summary: 'the places in which tasks work: look, clean up, restore',
    power: ({ args, options }) => (readsPlaces(args[0], options) ? 'reads' : 'decides'),
    load: () => import('./commands/workspace.ts'),
  },
  {
    name: 'verify',
    group: keeping,
    summary: 'look through the journals for damage',
    power: ({ options }) => (options['repair'] === undefined ? 'reads' : 'decides'),
    load: () => import('./commands/verify.ts'),
  },
  {
    name: 'drift',
    group: keeping,
    summary: 'how a workflow file differs from what a run keeps',
    power: 'reads',
    load: () => import('./commands/drift.ts'),
  },
  {
    name: 'agents',
    group: keeping,
    summary: 'the coding agents that are installed, and what each may do',
    power: 'reads',
    load: () => import('./commands/agents.ts'),
  },
  {
    name: 'doctor',
    group: keeping,
    summary: 'whether everything Piton needs is in order',
    power: 'reads',
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'trust',
    group: keeping,
    summary: 'let this project execute what its configuration says; see and take back what is trusted',
    power: ({ args }) => (args[0] === 'list' ? 'reads' : 'trusts'),
    load: () => import('./commands/trust.ts'),
  },
  {
    name: 'service',
    group: keeping,
    summary: 'go on with interrupted runs at login',
    power: servicePower,
    load: () => import('./commands/service.ts'),
  },
  {
    name: 'completion',
    group: keeping,
    summary: 'completion of commands, runs and workflows for your shell',
    power: 'reads',
    load: () => import('./commands/completion.ts'),
  },
  {
    name: '__complete',
    group: keeping,
    summary: 'the names that may come next, for shells',
    power: 'reads',
    isHidden: true,
    load: () => import('./commands/complete.ts'),
  },
];
