import { PitonError, shellWord } from '../../../base/index.ts';
import type { MergeOptions, RunMerged } from '../../../library/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { filesText } from '../deliver/files-text.ts';
import { exitCodes } from '../exit-codes.ts';
import { cleanLine } from '../output/index.ts';

interface Options {
  readonly ffOnly?: boolean;
  /** `--no-ff` makes it false. */
  readonly ff: boolean;
  readonly squash?: boolean;
  readonly dryRun?: boolean;
  readonly partial?: boolean;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    command
      .argument('[run]', 'beginning of its id; default: the latest')
      .option('--ff-only', 'only if your branch can simply be moved forward')
      .option('--no-ff', 'make a merge commit in any case')
      .option('--squash', 'make one commit of it, without the history of the run')
      .option('--dry-run', 'only say what would be done, and whether it could')
      .option('--partial', 'also of a run that has not done its work: what is there')
      .option('--json', 'print JSON')
      .addHelpText('after', explanation),
  examples: [
    ['piton merge', 'bring the work of the latest run into the branch you are on'],
    ['piton merge 4f2 --dry-run', 'whether it would fit, and what it would change'],
    ['piton merge 4f2 --squash', 'as one commit of yours'],
  ],
  async run(context, { args, options }) {
    const strategy = strategyOf(options);
    const { dryRun = false, partial = false } = options;
    const piton = await context.openExisting();
    const { run } = await piton.findRecord(args[0]);
    const merged = await piton.merge(run, { strategy, dryRun, partial });
    context.output.json({ run, dryRun, ...merged });
    printMerged(context, merged, { run, isDryRun: dryRun });
    return exitCodes.done;
  },
});

const explanation = `
Your branch, index and files are moved by git, and only if nothing of yours is lost: where you have changes in the files that
the merge touches, or untracked files are in the way, it is refused (exit code 4), and the files are named. Changes
in other files stay as they are. A conflict is refused too: nothing is left half merged.`;

function strategyOf({ ffOnly, ff, squash }: Options): NonNullable<MergeOptions['strategy']> {
  const chosen = [
    ...(ffOnly === true ? (['ff-only'] as const) : []),
    ...(ff ? [] : (['merge'] as const)),
    ...(squash === true ? (['squash'] as const) : []),
  ];
  if (chosen.length <= 1) return chosen[0] ?? 'auto';
  throw new PitonError('USAGE_INVALID', 'Only one of --ff-only, --no-ff and --squash can be meant.', {
    remedy: 'See piton merge --help.',
  });
}

const ways = {
  'fast-forward': 'moved forward to it',
  merge: 'by a merge commit',
  squash: 'as one commit',
  already: '',
} as const;

function printMerged(
  { output }: Context,
  { how, branch, commit, files, submodules, steering }: RunMerged,
  { run, isDryRun }: { readonly run: string; readonly isDryRun: boolean },
): void {
  const at = commit === undefined ? '' : ` (${commit.slice(0, 7)})`;
  if (how === 'already') {
    output.print(`${branch} has what run ${run} made already${at}.`);
    return output.next('git log --oneline -5');
  }
  const is = isDryRun ? 'would be brought' : 'is';
  output.print(`What run ${run} made ${is} ${isDryRun ? 'into' : 'in'} ${branch}, ${ways[how]}${at}.`);
  output.print(filesText(files));
  if (steering.length > 0)
    output.print(`Look at these, which tell programs what to do: ${steering.map(cleanLine).join(', ')}.`);
  if (submodules.length > 0)
    output.print(`Submodules have moved on: ${submodules.map(cleanLine).join(', ')}.`);
  if (isDryRun) return output.next(`piton merge ${shellWord(run)}`);
  output.next(submodules.length > 0 ? 'git submodule update' : 'git log --oneline -5');
}
