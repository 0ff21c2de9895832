import { PitonError, shellWord } from '../../../base/index.ts';
import { defineCommand, type Invocation } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { configureDecision } from '../decide.ts';
import type { ExitCode } from '../exit-codes.ts';
import { actionNamed, assertOwnOptions, type Takers } from '../own-options.ts';
import { changePlace } from '../workspace/change-place.ts';
import { cleanPlaces, reconcilePlaces } from '../workspace/clean-places.ts';
import { listPlaces } from '../workspace/list-places.ts';
import { ofAllPlaces, type WorkspaceOptions } from '../workspace/options.ts';
import { restorePlace } from '../workspace/restore-place.ts';
import { showPlace } from '../workspace/show-place.ts';

type Action = (context: Context, given: Invocation<WorkspaceOptions>) => Promise<ExitCode>;

const actions: Readonly<Record<string, Action>> = {
  list: listPlaces,
  show: showPlace,
  clean: cleanPlaces,
  reconcile: reconcilePlaces,
  restore: restorePlace,
  recreate: changePlace,
  adopt: changePlace,
  discard: changePlace,
};

export const command = defineCommand<WorkspaceOptions>({
  configure: (command) =>
    configureDecision(
      command
        .argument('<what>', Object.keys(actions).join(', '))
        .argument(
          '[run]',
          'beginning of its id; default for list, clean and reconcile: all runs. restore also takes a ref',
        )
        .argument('[task]', 'whose place it is, by its address; not for list, clean and reconcile')
        .option('--all', 'list: also places that were removed')
        .option('--size', 'list: what each takes of the disk')
        .option('--dry-run', 'clean, reconcile: only say what would be done, and why')
        .option('--older-than <time>', 'clean: only what has been kept for so long, such as 7d; archives too')
        .option('--strays', 'clean, reconcile: also what belongs to runs that this store does not know')
        .option('--force', 'clean: archives of any age too, and merged branches of runs that failed')
        .option('--from <ref>', 'restore: a snapshot or archive; default: the last one')
        .option('--to <folder>', 'restore: lay an archive out there, and leave the task alone'),
    ).addHelpText('after', explanation),
  examples: [
    ['piton workspace list --size', 'all places, how they are, and what they take'],
    ['piton workspace show v1 build', 'all about the place of one task'],
    ['piton workspace clean --dry-run', 'what could go, with a reason for every line'],
    ['piton workspace clean --older-than 7d', 'what has been kept for a week, archives too'],
    ['piton workspace reconcile', 'after a crash: look at all places, and put right what can be'],
    ['piton workspace restore v1 build --to /tmp/build', 'look at what was archived'],
  ],
  async run(context, given) {
    const action = actionNamed('workspace', given.args[0]!, actions);
    assertNoTask(given);
    assertOwnOptions('workspace', given, takers);
    return action(context, given);
  },
});

const explanation = `
Nothing is removed before all that would be lost by it is kept; what cannot be proved to be kept, stays. What to do with the
place of a task that is held:
  recreate  make it again from what is committed on its branch
  restore   make it again as it was last saved
  adopt     take it as it is, whatever is wrong with it
  discard   begin anew from the branch of the run
What is there is archived first. The limits of clean are those of workspaces: in .piton/config.yaml, unless given here.`;

/** Left unread, it would let somebody clean all places who meant one. */
function assertNoTask({ args: [what = '', run = '', task] }: Invocation<WorkspaceOptions>): void {
  if (task === undefined || !ofAllPlaces.has(what)) return;
  throw new PitonError('USAGE_INVALID', `piton workspace ${what} takes no task: ${task}.`, {
    remedy: `See that place alone: piton workspace show ${shellWord(run)} ${shellWord(task)}.`,
  });
}

const takers: Takers<WorkspaceOptions> = {
  all: ['list'],
  size: ['list'],
  dryRun: ['clean', 'reconcile'],
  olderThan: ['clean'],
  strays: ['clean', 'reconcile'],
  force: ['clean'],
  from: ['restore'],
  to: ['restore'],
};
