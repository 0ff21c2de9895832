import { Option } from 'commander';
import { defineCommand } from '../command-spec.ts';
import { actionNamed, assertOwnOptions, type Takers } from '../own-options.ts';
import type { StoreAction, StoreOptions } from '../store/options.ts';

/** Each is imported when it is called. */
const actions: Readonly<Record<string, () => Promise<StoreAction>>> = {
  info: async () => (await import('../store/info.ts')).showInfo,
  check: async () => (await import('../store/check.ts')).checkStore,
  backup: async () => (await import('../store/backup.ts')).backUpStore,
  restore: async () => (await import('../store/restore.ts')).restoreStore,
  prune: async () => (await import('../store/prune.ts')).pruneStore,
};

/** Which of them take an option that is not for all. */
const takers: Takers<StoreOptions> = {
  yes: ['restore'],
  olderThan: ['prune'],
  keep: ['prune'],
  workflow: ['prune'],
  status: ['prune'],
  maxSize: ['prune'],
  payloads: ['prune'],
  dryRun: ['prune'],
  daily: ['prune'],
};

export const command = defineCommand<StoreOptions>({
  configure: (command) =>
    command
      .argument('<what>', Object.keys(actions).join(', '))
      .argument(
        '[file]',
        'backup: the new file; restore: the backup, default the newest; check: default the store',
      )
      .option('--yes', 'restore: do not ask')
      .option('--older-than <time>', 'prune: runs that ended longer ago, such as 30d')
      .option('--keep <number>', 'prune: all but the newest of each workflow, so many')
      .option('--max-size <size>', 'prune: the oldest, until the store is not larger, such as 2GB')
      .option('--workflow <name>', 'prune: only runs of that workflow')
      .option(
        '--status <status>',
        'prune: only runs that ended so: succeeded, failed, cancelled; several with commas',
      )
      .option('--payloads', 'prune: only big values and transcripts of these runs; their journals stay')
      .option('--dry-run', 'prune: only say what would go, and why the rest stays')
      .addOption(new Option('--daily', 'prune: by the configuration, unless that was done today').hideHelp())
      .option('--json', 'print JSON')
      .addHelpText('after', explanation),
  examples: [
    ['piton store info', 'where runs are kept, how much that is, and which backups there are'],
    ['piton store backup', 'a copy of the store, while runs go on'],
    ['piton store restore', 'put the newest backup in the place of the store'],
    ['piton store prune --older-than 30d --dry-run', 'what would go, and why the rest stays'],
    [
      'piton store prune --older-than 30d --keep 20',
      'what is older than 30 days, but for the newest 20 of each workflow',
    ],
    ['piton store prune --older-than 7d --payloads', 'keep the journals, and save the room of the rest'],
    ['piton store prune', 'what retention: in .piton/config.yaml says'],
  ],
  async run(context, given) {
    const load = actionNamed('store', given.args[0]!, actions);
    assertOwnOptions('store', given, takers);
    return (await load())(context, given);
  },
});

const explanation = `
  info     file, size, format, runs, and what is kept beside them
  check    look through one file, the store or a backup: pages, rows, and the chains of the journals. What else tells of runs
           (spool, git) is for piton verify
  backup   copy the store while runs go on; without a name, to the folder of backups, where the oldest are removed
  restore  put a backup in the place of the store, which is kept under another name. Not while anybody drives a run
  prune    remove runs that have ended, with what their processes have printed, and give the space back

A run is never removed that has not ended, is being worked on, damaged, has workspaces or a branch that nobody has taken, or is the newest
of its workflow that succeeded. Several limits together: --keep protects from the others; --max-size takes payloads before runs.`;
