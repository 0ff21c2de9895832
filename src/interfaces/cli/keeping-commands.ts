import type { CommandEntry, Power } from './command-entry.ts';
import type { Invocation } from './command-spec.ts';

const taking = 'Take the result:';
const keeping = 'Keep in order:';

function readsPlaces(what: string | undefined, options: Invocation['options']): boolean {
  return what === 'list' || what === 'show' || options['dryRun'] === true;
}

function servicePower({ args, options }: Invocation): Power {
  if (options['print'] === true || args[0] === 'status') return 'reads';
  return args[0] === 'uninstall' ? 'stops' : 'decides';
}

function storePower({ args: [what], options }: Invocation): Power {
  return what === 'info' || what === 'check' || options['dryRun'] === true ? 'reads' : 'decides';
}

/** What becomes of the work of runs, and of what is kept of them. */
export const keepingCommands: readonly CommandEntry[] = [
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
    name: 'checkpoint',
    group: keeping,
    summary: 'give a checkpoint of a run a name, to find it and go back to it by',
    power: 'decides',
    load: () => import('./commands/checkpoint.ts'),
  },
  {
    name: 'store',
    group: keeping,
    summary: 'where runs are kept: how much there is, backups, going back to one, removing old runs',
    power: storePower,
    load: () => import('./commands/store.ts'),
  },
  {
    name: 'verify',
    group: keeping,
    summary: 'look through the journals for damage',
    power: ({ options }) => (options['repair'] === undefined ? 'reads' : 'decides'),
    load: () => import('./commands/verify.ts'),
  },
  {
    name: 'export',
    group: keeping,
    summary: 'write a run into one file, to bring it elsewhere',
    power: 'reads',
    load: () => import('./commands/export.ts'),
  },
  {
    name: 'import',
    group: keeping,
    summary: 'add a run from a file that was exported elsewhere',
    power: 'decides',
    load: () => import('./commands/import.ts'),
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
    name: 'config',
    group: keeping,
    summary: 'the settings that hold here, and where each is from; check and migrate their files',
    power: 'reads',
    ignoresFiles: ({ args }) => args[0] !== 'show',
    load: () => import('./commands/config.ts'),
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
