import { shellWord, type JsonObject } from '../../../base/index.ts';
import type { ForkOptions, Rerun, Reruns, ResumeOptions, Run } from '../../../library/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { findCheckpoint } from '../checkpoints/find-checkpoint.ts';
import { readEdits } from '../checkpoints/read-edits.ts';
import { collect } from '../collect.ts';
import { assertChoice, choiceOf, configureDrift, type DriftOptions } from '../drive/drift-options.ts';
import { printReruns } from '../drive/confirm-redo.ts';
import { isAgreed } from '../drive/resume-from.ts';
import { readInputs } from '../drive/read-inputs.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';

interface Options extends DriftOptions {
  readonly id?: string;
  readonly inputs?: readonly string[];
  readonly edit?: string;
  readonly drive: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    configureDrift(
      command
        .argument(
          '<run>',
          'beginning of its id; <run>@<checkpoint>: a number, a name, a task, before:<task> or a time',
        )
        .option('--id <id>', 'the name of the new run; default: that of the other with a number')
        .option('-i, --inputs <name=value>', 'another input; what reads it runs again', collect)
        .option('--edit <file>', 'JSON or YAML with other inputs, outputs (by task) or state (of a graph)')
        .option('--no-drive', 'only make it; piton resume begins it')
        .option('--dry-run', 'list what would run again, and do nothing')
        .option('--yes', 'do not ask, although what cannot be undone may run again'),
    )
      .option('--json', 'print events as they happen, one JSON object per line')
      .addHelpText(
        'after',
        `
The new run shares the past of the other up to that checkpoint: outputs, decisions, the state of a graph, files in
worktrees, and conversations with agents. The other run is left alone, and may be removed. What the other has done
outside of git (a deploy, a message, files in a shared folder) is neither undone nor shared.`,
      ),
  examples: [
    ['piton fork 4f2', 'another run that goes on from where this one is'],
    ['piton fork 4f2@before:build -i style=plain', 'try another way from there'],
    ['piton fork 4f2@12 --id retry-1 --no-drive', 'look at it first'],
  ],
  async run(context, { args, options }) {
    const piton = await context.openExisting();
    const { run, seq, isLast } = await findCheckpoint(piton, args[0]!);
    const from = isLast ? run : `${run}@${seq}`;
    const found = await context.project.definitionOf(run, piton);
    if (found.note !== undefined) context.output.note(found.note);
    assertChoice(run, options, found);
    const edits = await editsIn(context, options, found.definition.workflow);
    const { id, drive } = options;
    const given = { ...edits, ...choiceOf(options), drive, ...(id !== undefined && { id }) };
    const reruns = await piton.previewFork(found.definition, from, given);
    if (reruns.tasks.length > 0) printReruns(context, reruns);
    if (options.dryRun === true) return afterDryRun(context, reruns, { run, seq });
    const command = `piton fork ${shellWord(args[0]!)}`;
    if (!(await isAgreed(context, reruns.tasks.filter(isIrreversible), { ...options, command })))
      return exitCodes.refused;
    const fork = await piton.fork(found.definition, from, { ...given, drive: false });
    if (!drive) return leave(context, fork, { run, seq });
    context.output.print(
      `Run ${fork.id} shares the past of ${run} up to ${run}@${seq}, and goes on from there.`,
    );
    const { driveRun } = await import('../drive/drive-run.ts');
    return driveRun(context, { run: fork.id, ...definitionFor(options) });
  },
});

function definitionFor({ acceptDrift = false, keepDefinition }: DriftOptions): ResumeOptions {
  return acceptDrift ? { acceptDrift } : { keepDefinition: keepDefinition ?? 'unless-migrated' };
}

/** What has had effects once, and would have them again. */
function isIrreversible({ hasRun, isIrreversible: cannotBeUndone }: Rerun): boolean {
  return hasRun && cannotBeUndone === true;
}

function afterDryRun(
  { output }: Context,
  { tasks }: Reruns,
  { run, seq }: { readonly run: string; readonly seq: number },
): ExitCode {
  output.json({ of: run, seq, reruns: tasks });
  if (tasks.length === 0) output.print('Nothing that has run would run again.');
  output.next(`piton fork ${shellWord(`${run}@${seq}`)}`);
  return exitCodes.done;
}

type Workflow = Parameters<typeof readInputs>[0];

async function editsIn(
  { directory, stdin }: Context,
  { inputs: pairs = [], edit }: Options,
  workflow: Workflow,
): Promise<Pick<ForkOptions, 'inputs' | 'outputs' | 'state'>> {
  const { inputs: edited, ...others } = edit === undefined ? {} : await readEdits(edit, { directory, stdin });
  const given = await readInputs(workflow, { pairs, directory, stdin });
  const inputs: JsonObject = { ...edited, ...given };
  return { ...others, ...(Object.keys(inputs).length > 0 && { inputs }) };
}

async function leave(
  { output }: Context,
  { id }: Run,
  { run, seq }: { readonly run: string; readonly seq: number },
): Promise<ExitCode> {
  output.json({ run: id, of: run, seq });
  output.print(`Run ${id} shares the past of ${run} up to ${run}@${seq}. It is paused.`);
  output.next(`piton resume ${shellWord(id)}`, `piton show ${shellWord(id)}`);
  return exitCodes.done;
}
