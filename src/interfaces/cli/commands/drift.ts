import { shellWord } from '../../../base/index.ts';
import { existsSync } from 'node:fs';
import { defineCommand } from '../command-spec.ts';
import { exitCodes } from '../exit-codes.ts';

export const command = defineCommand({
  configure: (command) =>
    command.argument('[run]', 'beginning of its id; default: the latest').option('--json', 'print JSON'),
  examples: [
    ['piton drift', 'how the file differs from what the latest run keeps'],
    ['piton drift 4f2 --json', 'for programs; exit code 4 if what has begun is different'],
  ],
  async run(context, { args }) {
    const { output } = context;
    const piton = await context.openExisting();
    const { run } = await piton.findRecord(args[0]);
    const { definition, origin, note } = await context.project.definitionOf(
      run,
      await context.openExisting(),
    );
    const { drift } = await piton.preview(run, definition);
    const file = origin?.file;
    const isFileThere = file !== undefined && existsSync(file);
    output.json({ run, file: file ?? null, isFileThere, drift });
    if (note !== undefined) output.note(note);
    output.print(`Run ${run}, compared with ${file ?? 'nothing: it was not started from a file'}`);
    if (drift.length === 0 && isFileThere) output.print('No task differs.');
    output.table(
      drift.map(({ task, change, begun }) => [
        task,
        { text: change, paint: output.style.yellow },
        begun
          ? { text: 'has begun: it cannot be changed any more', paint: output.style.red }
          : 'has not begun',
      ]),
    );
    const isRefused = drift.some(({ begun }) => begun);
    const [first, ...others] = nextSteps(shellWord(run), { isRefused, isSame: drift.length === 0 });
    output.next(first, ...others);
    return isRefused ? exitCodes.refused : exitCodes.done;
  },
});

function nextSteps(
  run: string,
  { isRefused, isSame }: { readonly isRefused: boolean; readonly isSame: boolean },
): [string, ...string[]] {
  if (isRefused)
    return ['undo the change', `do those tasks again: piton resume ${run} --accept-drift --redo <tasks>`];
  return isSame ? [`piton status ${run}`] : [`piton resume ${run}`, `piton resume ${run} --accept-drift`];
}
