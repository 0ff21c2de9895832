import { existsSync } from 'node:fs';
import { shellWord } from '../../../base/index.ts';
import type { DriftView } from '../../../library/index.ts';
import { commandForRun } from '../command-for.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { printMigration } from '../drive/print-migration.ts';
import { choicesFor, printChoices, printDrift } from '../drive/print-drift.ts';
import { exitCodes } from '../exit-codes.ts';

export const command = defineCommand({
  configure: (command) =>
    command.argument('[run]', 'beginning of its id; default: the latest').option('--json', 'print JSON'),
  examples: [
    ['piton drift', 'how the file differs from what the latest run keeps, field by field'],
    ['piton drift 4f2 --json', 'for programs; exit code 4 if somebody has to say with which the run goes on'],
  ],
  async run(context, { args }) {
    const { output } = context;
    const piton = await context.openExisting();
    const { run } = await piton.findRecord(args[0]);
    const found = await context.project.definitionOf(run, piton);
    const dryRun = await context.project.isTrusted();
    const view = await piton.drift(run, found.definition, { dryRun });
    const file = found.origin?.file;
    const choices = view.mustChoose ? choicesFor({ ...view, command: commandForRun('resume', run) }) : [];
    const isFileThere = file !== undefined && existsSync(file);
    output.json({ run, file: file ?? null, isFileThere, ...view, choices });
    output.print(`Run ${run}, compared with ${file ?? 'nothing: it was not started from a file'}`);
    if (found.note !== undefined) output.note(found.note);
    printDrift(context, view.drift);
    printMigration(context, view, dryRun);
    if (view.mustChoose) printChoices(context, choices);
    else sayNoChoice(context, run, { ...view, isCompared: isFileThere && found.note === undefined });
    return view.mustChoose ? exitCodes.refused : exitCodes.done;
  },
});

function sayNoChoice(
  { output }: Context,
  run: string,
  { drift, migration, isCompared }: DriftView & { readonly isCompared: boolean },
): void {
  if (migration !== undefined) return output.next(commandForRun('resume', run));
  if (isCompared)
    output.print(drift.length === 0 ? 'Nothing differs.' : 'Nothing that is still to be done has changed.');
  output.next(`piton status ${shellWord(run)}`);
}
