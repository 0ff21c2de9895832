import type { Piton } from '../../../library/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { Damages } from '../damages.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { assertTask } from '../logs/select-attempts.ts';
import { commandFor } from '../command-for.ts';
import { readNumber } from '../read-number.ts';
import { findRecord, type RunRecord } from '../runs.ts';
import type { Hit } from '../search/hit.ts';
import { patternFor, type Pattern } from '../search/pattern.ts';
import { HitPrinter } from '../search/print-hits.ts';
import { searchRun } from '../search/search-run.ts';

interface Options {
  readonly run?: string;
  readonly task?: string;
  readonly regex?: boolean;
  readonly limit: string;
}

interface Search extends Pick<Options, 'task'> {
  readonly pattern: Pattern;
  readonly limit: number;
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
    const pattern = await patternFor(args[0]!, options.regex === true);
    const limit = readNumber('--limit', options.limit, 1);
    const piton = await context.openExisting();
    const search = { pattern, limit, ...(options.task !== undefined && { task: options.task }) };
    const damages = new Damages();
    const hits = await searchAll(context, await runsMeant(piton, options, damages), search);
    context.output.json(hits);
    return damages.report(context.output, conclude(context, hits, limit));
  },
});

/** A name that no task has is more likely misspelt than silent; of all runs it may be in another one. */
async function runsMeant(
  piton: Piton,
  { run, task }: Options,
  { add }: Damages,
): Promise<readonly RunRecord[]> {
  if (run === undefined) return piton.list({ limit: Number.MAX_SAFE_INTEGER, onDamaged: add });
  const record = await findRecord(piton, run);
  if (task !== undefined)
    assertTask(task, Object.keys((await (await piton.find(record.run)).checkpoint()).tasks));
  return [record];
}

/** One run after the other, each shown when it has been read: there may be many. */
async function searchAll(
  context: Context,
  records: readonly RunRecord[],
  { pattern, limit, task }: Search,
): Promise<Hit[]> {
  const piton = await context.openExisting();
  const printer = new HitPrinter(context.output);
  const hits: Hit[] = [];
  for (const { run, workflow, seq } of records) {
    const left = limit - hits.length;
    if (left === 0) break;
    const events = (await piton.find(run)).history({ upTo: seq, transcripts: true });
    const found = await searchRun({ run, workflow, pattern, task, limit: left }, events);
    printer.print(found);
    hits.push(...found);
  }
  return hits;
}

function conclude({ output }: Context, hits: readonly Hit[], limit: number): ExitCode {
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
