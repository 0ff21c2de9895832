import type { Piton, SearchHit, SearchOptions } from '../../../library/index.ts';
import { commandFor } from '../command-for.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { Damages } from '../damages.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { HitPrinter } from '../print-hits.ts';
import { readNumber } from '../read-number.ts';

interface Options {
  readonly run?: string;
  readonly task?: string;
  readonly regex?: boolean;
  readonly limit: string;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    command
      .argument('<text>', 'what somebody has said, called or answered; case does not matter')
      .option('--run <run>', 'only in this run, by the beginning of its id')
      .option(
        '--task <task>',
        'only in conversations of this task, with its items, visits and tasks of its own',
      )
      .option('--regex', 'the text is a regular expression (RE2)')
      .option('--limit <number>', 'at most so many lines', '50')
      .option('--json', 'print JSON')
      .addHelpText(
        'after',
        `
The newest run comes first, and in it what was said last. Searched is what agents say, think, call and get back, what
people tell them, and what checks report. Exit code 1 if nothing was found, as of grep.`,
      ),
  examples: [
    ['piton search "rate limit"', 'in the conversations of all runs'],
    ['piton search --run 4f2 --task build npm', 'of one task'],
    ["piton search --regex 'TS\\d{4}' --limit 5 --json", 'for programs'],
  ],
  async run(context, { args, options }) {
    const limit = readNumber('--limit', options.limit, 1);
    const piton = await context.openExisting();
    const damages = new Damages();
    const where = { ...(await placeOf(piton, options)), limit, onDamaged: damages.add };
    const printer = new HitPrinter(context.output);
    const hits: SearchHit[] = [];
    for await (const hit of piton.search(args[0]!, where)) {
      printer.print(hit);
      hits.push(hit);
    }
    context.output.json(hits);
    return damages.report(context.output, conclude(context, hits, limit));
  },
});

async function placeOf(piton: Piton, { run, task, regex }: Options): Promise<SearchOptions> {
  return {
    ...(run !== undefined && { run: (await piton.findRecord(run)).run }),
    ...(task !== undefined && { task }),
    ...(regex !== undefined && { regex }),
  };
}

function conclude({ output }: Context, hits: readonly SearchHit[], limit: number): ExitCode {
  const [first] = hits;
  if (first === undefined) {
    output.note('Nothing was found.');
    return exitCodes.failed;
  }
  if (hits.length === limit) output.note(`There may be more: these are the ${limit} newest (--limit).`);
  output.print();
  output.next(commandFor('logs', first.run, first.task));
  return exitCodes.done;
}
