import { PitonError, shellWord } from '../../../base/index.ts';
import { assertTask, type RunEvent } from '../../../library/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { printOutput } from '../logs/print-output.ts';
import type { Reading } from '../logs/reading.ts';
import { isChosen, type AttemptChoice } from '../logs/select-attempts.ts';
import type { Output } from '../output/index.ts';
import { eventLine } from '../progress/index.ts';
import { readNumber } from '../read-number.ts';

interface Options {
  readonly follow?: boolean;
  readonly attempt?: string;
  readonly tail?: string;
  readonly raw?: boolean;
  readonly full?: boolean;
  readonly markdown?: boolean;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    command
      .argument('[run]', 'beginning of its id; default: the latest')
      .argument('[task]', 'only of this task, with its items, visits and tasks of its own')
      .option('-f, --follow', 'go on until the run ends, or nobody drives it')
      .option('--attempt <number>', 'only of the attempts with this number')
      .option('--tail <lines>', 'only so many last lines of each attempt')
      .option('--full', 'of conversations with agents: nothing is cut')
      .option('--markdown', 'as a document')
      .option('--raw', 'with control characters, as they were printed; also what agents print for machines')
      .option('--json', 'print the events of the run, one JSON object per line'),
  examples: [
    ['piton logs', 'all that the tasks of the latest run have printed'],
    ['piton logs 4f2 build', 'of one task; of an agent, the conversation'],
    ['piton logs 4f2 review --markdown --full > review.md', 'a conversation to read or to keep'],
    ['piton logs -f --tail 10', 'the last lines, and what comes'],
    ['piton logs 4f2 --json', 'everything that has happened, for programs'],
  ],
  async run(context, { args, options }) {
    const { output } = context;
    assertTogether(options);
    const piton = await context.openExisting();
    const { run: id, seq } = await piton.findRecord(args[0]);
    const run = await piton.find(id);
    const checkpoint = await run.checkpoint();
    if (args[1] !== undefined) assertTask(checkpoint, args[1]);
    const known = Object.keys(checkpoint.tasks);
    const choice = { task: args[1], number: numberOf('--attempt', options.attempt) };
    const tail = numberOf('--tail', options.tail);
    const { follow = false } = options;
    const stopped = new AbortController();
    const stop = (): void => stopped.abort();
    // Ctrl-C ends the reading.
    process.once('SIGINT', stop);
    try {
      const signal = AbortSignal.any([stopped.signal, output.readerGone]);
      const events = follow ? run.events({ signal }) : run.history({ upTo: seq, transcripts: true });
      const reading = { piton, output, choice, known, head: seq, tail, signal, ...formOf(options) };
      if (output.isJson) await printEvents(output, choice, events);
      else if (!(await printOutput(reading, events)) && !signal.aborted) output.note(nothingPrinted);
    } finally {
      process.off('SIGINT', stop);
    }
    if (output.isTerminal) sayNext(context, id, follow);
    return exitCodes.done;
  },
});

const nothingPrinted =
  'Nothing was printed, or nothing of it is kept here. Only commands and agents print; what has happened is told by --json, or piton history.';

function formOf({
  follow = false,
  raw = false,
  full = false,
  markdown = false,
}: Options): Pick<Reading, 'follow' | 'isRaw' | 'isFull' | 'isMarkdown'> {
  return { follow, isRaw: raw, isFull: full, isMarkdown: markdown };
}

/** A document is written when all of it is known, and has all of it. */
function assertTogether(options: Options): void {
  if (options.markdown !== true) return;
  const other = (['follow', 'raw', 'tail'] as const).find((name) => options[name] !== undefined);
  if (other === undefined) return;
  throw new PitonError('USAGE_INVALID', `--markdown and --${other} do not go together.`, {
    remedy: `Leave one of them out.`,
  });
}

async function printEvents(
  output: Output,
  choice: AttemptChoice,
  events: AsyncIterable<RunEvent>,
): Promise<void> {
  for await (const event of events) {
    if (!isChosen(event, choice)) continue;
    if (!output.write(`${eventLine(event)}\n`)) return;
    await output.flush();
  }
}

function numberOf(option: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : readNumber(option, text);
}

function sayNext({ output }: Context, run: string, isFollowing: boolean): void {
  output.next(isFollowing ? `piton status ${shellWord(run)}` : `piton logs ${shellWord(run)} -f`);
}
