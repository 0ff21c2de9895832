import { PitonError } from '../../../base/index.ts';
import type { RunEvent } from '../../../engine/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { readHistory } from '../drive/read-history.ts';
import { exitCodes } from '../exit-codes.ts';
import { printOutput } from '../logs/print-output.ts';
import { assertTask, isChosen, type AttemptChoice } from '../logs/select-attempts.ts';
import type { Output } from '../output/index.ts';
import { eventLine, shellWord } from '../progress/index.ts';
import { findRecord } from '../runs.ts';

interface Options {
  readonly follow?: boolean;
  readonly attempt?: string;
  readonly tail?: string;
  readonly raw?: boolean;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    command
      .argument('[run]', 'beginning of its id; default: the latest')
      .argument('[task]', 'only of this task, with its items, visits and tasks of its own')
      .option('-f, --follow', 'go on until the run ends, or nobody drives it')
      .option('--attempt <number>', 'only of the attempts with this number')
      .option('--tail <lines>', 'only so many last lines of each attempt')
      .option('--raw', 'with control characters, as they were printed')
      .option('--json', 'print the events of the run, one JSON object per line'),
  examples: [
    ['piton logs', 'all that the tasks of the latest run have printed'],
    ['piton logs 4f2 build', 'of one task'],
    ['piton logs -f --tail 10', 'the last lines, and what comes'],
    ['piton logs 4f2 --json', 'everything that has happened, for programs'],
  ],
  async run(context, { args, options }) {
    const { output } = context;
    const piton = await context.openExisting();
    const { run: id, seq } = await findRecord(piton, args[0]);
    const run = await piton.find(id);
    const known = Object.keys((await run.checkpoint()).tasks);
    if (args[1] !== undefined) assertTask(args[1], known);
    const choice = { task: args[1], number: numberOf('--attempt', options.attempt) };
    const tail = numberOf('--tail', options.tail);
    const { follow = false, raw: isRaw = false } = options;
    const signal = untilStopped();
    const events = follow ? run.events({ signal }) : readHistory(run, seq);
    if (output.isJson) await printEvents(output, choice, events);
    else if (!(await printOutput({ piton, output, choice, known, follow, isRaw, tail, signal }, events))) {
      output.note(
        'Nothing was printed. Only commands print; what has happened is told by --json, or piton history.',
      );
    }
    if (output.isTerminal) sayNext(context, id, follow);
    return exitCodes.done;
  },
});

/** Ctrl-C ends the reading. */
function untilStopped(): AbortSignal {
  const stopped = new AbortController();
  process.once('SIGINT', () => stopped.abort());
  return stopped.signal;
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
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0) return value;
  throw new PitonError('USAGE_INVALID', `${option} is ${text}; it must be a whole number.`);
}

function sayNext({ output }: Context, run: string, isFollowing: boolean): void {
  output.next(isFollowing ? `piton status ${shellWord(run)}` : `piton logs ${shellWord(run)} -f`);
}
