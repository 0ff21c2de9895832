import { shellWord } from '../../../base/index.ts';
import { WatchedRun, type Run, type RunEvent } from '../../../library/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { printTimeline } from '../history/print-timeline.ts';
import { nextLines } from '../next-step.ts';
import { cleanLine, clockText, spanText } from '../output/index.ts';
import { describeEvent } from '../progress/index.ts';
import { senderText } from '../sender-text.ts';

interface Entry {
  /** `<run>@<seq>`. */
  readonly checkpoint: string;
  readonly seq: number;
  readonly at: number;
  readonly changes: readonly string[];
  readonly events: readonly RunEvent[];
}

interface Options {
  readonly timeline?: boolean;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    command
      .argument('[run]', 'beginning of its id; default: the latest')
      .option('--timeline', 'what ran when, who drove it, and what became of it when that one died')
      .option('--json', 'print JSON'),
  examples: [
    ['piton history', 'of the latest run'],
    ['piton history 4f2 --timeline', 'its attempts, and the times in which nobody drove it'],
    ['piton history 4f2 --json', 'every checkpoint with its events'],
  ],
  async run(context, { args, options }) {
    const piton = await context.openExisting();
    const { run: id, seq } = await piton.findRecord(args[0]);
    const run = await piton.find(id);
    await (options.timeline === true ? showTimeline(context, run) : showCheckpoints(context, run, seq));
    return exitCodes.done;
  },
});

async function showTimeline(context: Context, run: Run): Promise<void> {
  const { output } = context;
  const timeline = await run.timeline();
  output.json(timeline);
  if (output.isJson) return;
  const view = await run.view();
  printTimeline(context, timeline, view);
  output.next(...nextLines(view, `piton history ${shellWord(run.id)}`));
}

async function showCheckpoints(context: Context, run: Run, upTo: number): Promise<void> {
  const { output } = context;
  const history = run.history({ upTo, transcripts: output.isJson });
  const entries = entriesOf(run.id, await Array.fromAsync(history));
  output.json(entries.map(entryJson));
  if (!output.isJson) printEntries(context, entries);
  output.next(`piton show ${entries.at(-1)!.checkpoint}`);
}

function entriesOf(run: string, events: readonly RunEvent[]): Entry[] {
  const view = new WatchedRun(run);
  const changes = new Map<RunEvent, string>();
  for (const event of events) {
    view.add(event);
    changes.set(event, changeText(event, describeEvent(view, event)));
  }
  return [...Map.groupBy(events, ({ seq }) => seq)].map(([seq, events]) => ({
    checkpoint: `${run}@${seq}`,
    seq,
    at: events[0]!.at,
    changes: events.map((event) => cleanLine(changes.get(event)!)),
    events,
  }));
}

/** What is not worth a word while a run is watched still belongs to its history. */
function changeText(event: RunEvent, saying: ReturnType<typeof describeEvent>): string {
  if (saying !== undefined) return `${saying.symbol} ${saying.text}${byText(event, saying.text)}`;
  const task = 'task' in event && event.task !== undefined ? `${event.task}: ` : '';
  const command = event.type === 'command.decided' ? `: ${event.data.command}` : '';
  return `· ${task}${event.type.replace('.', ' ')}${command}${byText(event)}`;
}

/** Who wanted it so, where the journal knows, unless that was said already. */
function byText({ data }: RunEvent, said = ''): string {
  if (!('by' in data) || typeof data.by !== 'object') return '';
  return said.includes(` by ${data.by.user}@${data.by.host}`) ? '' : `, by ${senderText(data.by)}`;
}

function entryJson({ checkpoint, seq, at, changes, events }: Entry): unknown {
  const bare = events.map(({ run: _run, seq: _seq, at: _at, ...event }) => event);
  return { checkpoint, seq, at, changes, events: bare };
}

function printEntries({ output }: Context, entries: readonly Entry[]): void {
  const startedAt = entries[0]!.at;
  output.table(
    entries.flatMap(({ checkpoint, at, changes }) =>
      changes.map((change, index) => {
        const isFirst = index === 0;
        const time = { text: isFirst ? clockText(at) : '', paint: output.style.dim };
        const since = { text: isFirst ? `+${spanText(at - startedAt)}` : '', paint: output.style.dim };
        return [isFirst ? checkpoint : '', time, since, change];
      }),
    ),
    { head: ['checkpoint', 'time', 'since start', 'what changed'] },
  );
}
