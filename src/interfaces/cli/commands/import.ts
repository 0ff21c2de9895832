import { resolve } from 'node:path';
import { plural, shellWord } from '../../../base/index.ts';
import type { Imported } from '../../../library/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { cleanLine } from '../output/index.ts';

export const command = defineCommand({
  configure: (command) =>
    command.argument('<file>', 'as piton export has written it').option('--json', 'print JSON'),
  examples: [['piton import 4f2.piton', 'add the run to this project; nothing is started']],
  async run(context, { args }) {
    const file = resolve(context.directory, args[0]!);
    const piton = await context.open();
    const imported = await piton.import(file, { folder: context.config.root });
    context.output.json(imported);
    print(context, imported);
    return exitCodes.done;
  },
});

function print({ output }: Context, { run, outcome, seq, held, refs, notes }: Imported): void {
  output.print(
    outcome === 'imported'
      ? `Imported ${run}, up to ${run}@${seq}.`
      : `Run ${run} is here already, with all that is in the file.`,
  );
  if (held.length > 0)
    output.print(`Held, because they were under way elsewhere: ${cleanLine(held.join(', '))}.`);
  if (refs.restored.length > 0)
    output.print(`Its files are in this repository: ${plural(refs.restored.length, 'ref')}.`);
  for (const ref of refs.kept)
    output.note(`${cleanLine(ref)} is here already, with something else: it was left as it is.`);
  for (const note of notes) output.note(cleanLine(note));
  output.next(`piton show ${shellWord(run)}`);
}
