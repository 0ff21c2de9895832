import { setTimeout as pause } from 'node:timers/promises';
import type { RunEvent } from '../../../engine/index.ts';
import type { Piton } from '../../../library/index.ts';
import { cleanLine, padTo, widthOf, type Output } from '../output/index.ts';
import { LinePrinter } from './line-printer.ts';
import { isChosen, isWithin, type AttemptChoice } from './select-attempts.ts';

export interface Reading {
  readonly piton: Piton;
  readonly output: Output;
  readonly choice: AttemptChoice;
  /** Addresses of all tasks. */
  readonly known: readonly string[];
  readonly follow: boolean;
  readonly isRaw: boolean;
  /** Only so many last lines of each attempt. */
  readonly tail: number | undefined;
  readonly signal: AbortSignal;
}

type Started = Extract<RunEvent, { type: 'attempt.started' }>;

/** What an attempt printed comes before what follows from its end, unless it left something behind that prints on. */
const longestWaitMs = 1_000;

/** There is nothing to read before a process exists; of some that died early, that was never written down. */
const signsOfLife: ReadonlySet<string> = new Set(['attempt.spawned', 'attempt.recovered', 'attempt.ended']);

/** One attempt after the other; when following, those that run at once side by side, line by line. False: there is nothing. */
export async function printOutput(reading: Reading, events: AsyncIterable<RunEvent>): Promise<boolean> {
  const started = new Map<string, Started>();
  const reads = new Map<string, Promise<boolean>>();
  const begin = async (event: Started): Promise<void> => {
    started.delete(event.attempt);
    const read = printAttempt(reading, event);
    reads.set(event.attempt, read);
    if (!reading.follow) await read;
  };
  for await (const event of events) {
    if (event.type === 'attempt.started' && isChosen(event, reading.choice))
      started.set(event.attempt, event);
    const known = 'attempt' in event ? started.get(event.attempt) : undefined;
    if (known !== undefined && signsOfLife.has(event.type)) await begin(known);
    if (event.type === 'attempt.ended')
      await Promise.race([reads.get(event.attempt), pause(longestWaitMs, undefined, { ref: false })]);
  }
  for (const event of started.values()) await begin(event);
  return (await Promise.all(reads.values())).includes(true);
}

async function printAttempt(reading: Reading, started: Started): Promise<boolean> {
  const { piton, output, isRaw, follow, signal } = reading;
  const skip = await linesToSkip(reading, started.attempt);
  const printer = new LinePrinter({ output, prefix: prefixOf(reading, started), isRaw, skip });
  for await (const { stream, text } of piton.output(started.attempt, { follow, signal })) {
    if (!(await printer.add(stream, text))) return true;
  }
  printer.end();
  return printer.hasPrinted;
}

async function linesToSkip({ piton, tail, signal }: Reading, attempt: string): Promise<number> {
  if (tail === undefined) return 0;
  let count = 0;
  const unended = new Set<string>();
  for await (const { stream, text } of piton.output(attempt, { signal })) {
    count += text.split('\n').length - 1;
    if (text.endsWith('\n')) unended.delete(stream);
    else unended.add(stream);
  }
  return Math.max(count + unended.size - tail, 0);
}

/** Whose line it is, unless only one task can be meant. */
function prefixOf({ output, choice, known }: Reading, { task, data }: Started): string {
  const { task: chosen } = choice;
  const shown = chosen === undefined ? known : known.filter((address) => isWithin(address, chosen));
  if (chosen !== undefined && shown.length === 1) return '';
  const width = Math.min(Math.max(...shown.map((address) => widthOf(address)), 0), 24);
  const number = data.number > 1 ? ` (${data.number})` : '';
  return output.style.dim(`${padTo(cleanLine(task) + number, width)} │ `);
}
