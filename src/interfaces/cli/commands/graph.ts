import { PitonError, shellWord } from '../../../base/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { drawWorkflow } from '../graph/draw.ts';
import { mermaidOf } from '../graph/mermaid.ts';
import { cleanLine } from '../output/index.ts';

interface Options {
  readonly mermaid?: boolean;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    command
      .argument('[workflow]', 'its name or path; may be left out where there is only one')
      .option('--mermaid', 'print a Mermaid flow chart')
      .option('--json', 'print JSON'),
  examples: [
    ['piton graph release', 'what runs after what'],
    ['piton graph release --mermaid > release.mmd', 'for documents'],
  ],
  async run(context, { args, options }) {
    const { output } = context;
    const file = fileMeant(context, args[0]);
    const graph = await context.project.graph(file);
    output.json(graph);
    if (options.mermaid === true) {
      for (const line of mermaidOf(graph)) output.print(line);
      return exitCodes.done;
    }
    output.print(output.style.bold(cleanLine(graph.workflow)));
    for (const line of drawWorkflow(graph, output.style)) output.print(line);
    output.print();
    output.next(`piton run ${shellWord(args[0] ?? graph.workflow)}`);
    return exitCodes.done;
  },
});

function fileMeant({ project }: Context, given: string | undefined): string {
  if (given !== undefined) return project.findWorkflow(given);
  const files = project.workflows();
  if (files.length === 1) return files[0]!.file;
  throw new PitonError('USAGE_INVALID', 'Which workflow?', {
    remedy:
      files.length === 0
        ? 'There are none: see piton init.'
        : `There are ${files.map(({ name }) => name).join(', ')}.`,
  });
}
