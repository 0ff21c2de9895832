import { hasControls, PitonError, shellWord, visibleText } from '../../../base/index.ts';
import type { Diff, DiffOptions } from '../../../library/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { compareCheckpoints } from '../checkpoints/compare-checkpoints.ts';
import { showText } from '../deliver/show-text.ts';
import { exitCodes } from '../exit-codes.ts';
import { findTask } from '../find-task.ts';
import { isColoured } from '../output/index.ts';

interface Options {
  readonly stat?: boolean;
  readonly patch?: boolean;
  readonly nameOnly?: boolean;
}

type Form = NonNullable<DiffOptions['form']>;

export const command = defineCommand<Options>({
  configure: (command) =>
    command
      .argument('[run]', 'beginning of its id; default: the latest; <run>@<checkpoint>: compare with that')
      .argument(
        '[task]',
        'only what this task has made; after a checkpoint: another one of the run, or of another',
      )
      .option('--stat', 'how much was changed in which file (this is what it does)')
      .option('-p, --patch', 'the changes themselves')
      .option('--name-only', 'only the names of the files')
      .option('--json', 'print JSON'),
  examples: [
    ['piton diff', 'which files the latest run has changed'],
    ['piton diff 4f2 -p', 'how it has changed them'],
    ['piton diff 4f2 build -p', 'what the task build has changed so far'],
    ['piton diff 4f2@before:build', 'what has changed since: tasks, outputs, state and files'],
    ['piton diff 4f2@7 12', 'what has changed between two checkpoints'],
    ['piton diff 4f2@7 4f2-2@9', 'how a fork differs'],
  ],
  async run(context, { args, options }) {
    const { output } = context;
    const form = formOf(options);
    const piton = await context.openExisting();
    if (args[0]?.includes('@') === true) return compareCheckpoints(context, [args[0], args[1]], form);
    const { run } = await piton.findRecord(args[0]);
    const [, task] = args;
    if (task !== undefined) findTask(await (await piton.find(run)).checkpoint(), task);
    const coloured = !output.isJson && isColoured({ isTTY: output.isTerminal }, context.env);
    const diff = await piton.diff(run, {
      form,
      coloured,
      columns: output.columns,
      ...(task !== undefined && { task }),
    });
    output.json(jsonOf(diff, { run, task, form }));
    const shown = output.isTerminal && !coloured ? { ...diff, text: seen(diff.text) } : diff;
    if (!output.isJson) await printDiff(context, shown, { run, task });
    return exitCodes.done;
  },
});

/** On a terminal, without colours. */
function seen(text: string): string {
  return hasControls(text) ? visibleText(text) : text;
}

function formOf({ stat, patch, nameOnly }: Options): Form {
  const chosen: Form[] = [];
  if (stat === true) chosen.push('stat');
  if (patch === true) chosen.push('patch');
  if (nameOnly === true) chosen.push('name-only');
  if (chosen.length <= 1) return chosen[0] ?? 'stat';
  throw new PitonError('USAGE_INVALID', 'Only one of --stat, --patch and --name-only can be meant.', {
    remedy: 'See piton diff --help.',
  });
}

interface Subject {
  readonly run: string;
  readonly task: string | undefined;
}

function jsonOf(
  { from, to, files, text }: Diff,
  { run, task, form }: Subject & { readonly form: Form },
): Record<string, unknown> {
  return { run, task: task ?? null, from, to, files, ...(form === 'patch' && { patch: text }) };
}

/** A patch in a file or a pipe is for programs: nothing else is written there. */
async function printDiff(context: Context, diff: Diff, { run, task }: Subject): Promise<void> {
  const { output } = context;
  if (!output.isTerminal) return void output.write(diff.text);
  const isEmpty = diff.text === '';
  if (isEmpty) output.print('Nothing was changed.');
  else await showText(context, diff);
  if (task !== undefined) output.next(`piton show ${shellWord(run)} ${shellWord(task)}`);
  else if (isEmpty) output.next(`piton show ${shellWord(run)}`);
  else output.next(`piton merge ${shellWord(run)}`, `piton pr ${shellWord(run)}`);
}
