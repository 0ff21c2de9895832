import { setTimeout as pause } from 'node:timers/promises';
import type { RunEvent } from '../../../library/index.ts';
import { introduce, type AttemptStarted } from '../conversation/index.ts';
import { cleanLine, cleanText } from '../output/index.ts';
import { Conversations } from './conversations.ts';
import { LinePrinter } from './line-printer.ts';
import { beginsOutput, prefixOf, type Reading } from './reading.ts';
import { isChosen } from './select-attempts.ts';

/** What an attempt printed comes before what follows from its end, unless it left something behind that prints on. */
const longestWaitMs = 1_000;

/** There is nothing to read before a process exists; of some that died early, that was never written down. */
const signsOfLife: ReadonlySet<string> = new Set(['attempt.spawned', 'attempt.recovered', 'attempt.ended']);

/** One attempt after the other; when following, those that run at once side by side, line by line. False: there is nothing. */
export async function printOutput(reading: Reading, events: AsyncIterable<RunEvent>): Promise<boolean> {
  const started = new Map<string, AttemptStarted>();
  const reads = new Map<string, Promise<boolean>>();
  const conversations = new Conversations(reading);
  const stacks = new Set<string>();
  const begin = async (event: AttemptStarted): Promise<void> => {
    started.delete(event.attempt);
    const read = printAttempt(reading, event);
    reads.set(event.attempt, read);
    if (!reading.follow) await read;
  };
  for await (const event of events) {
    if (beginsOutput(event, reading)) started.set(event.attempt, event);
    const known = 'attempt' in event ? started.get(event.attempt) : undefined;
    if (known !== undefined && signsOfLife.has(event.type)) await begin(known);
    if (event.type === 'attempt.ended')
      await Promise.race([reads.get(event.attempt), pause(longestWaitMs, undefined, { ref: false })]);
    printStack(reading, event, stacks);
    if (!(await conversations.tell(event))) return true;
  }
  for (const event of started.values()) await begin(event);
  conversations.end();
  const ofOutput = await Promise.all(reads.values());
  return [...ofOutput, conversations.hasPrinted, stacks.size > 0].includes(true);
}

/**
 * A function prints nothing that Piton sees: where it failed is what there is to read. Told once, and not again for the tasks that failed
 * because of it.
 */
function printStack(reading: Reading, event: RunEvent, told: Set<string>): void {
  if (event.type !== 'task.failed') return;
  const { stack } = event.data.failure;
  if (stack === undefined || told.has(stack) || !isChosen(event, reading.choice)) return;
  told.add(stack);
  const { output, isMarkdown } = reading;
  const prefix = isMarkdown ? codeIndent : prefixOf(reading, { task: event.task });
  if (isMarkdown) output.write(`## ${cleanLine(event.task)}: failed\n\n`);
  const lines = cleanText(stack).split('\n');
  output.write(lines.map((line) => `${prefix}${line}\n`).join(''));
}

async function printAttempt(reading: Reading, started: AttemptStarted): Promise<boolean> {
  const { piton, output, isRaw, isMarkdown, follow, signal, tail } = reading;
  const skip = await linesToSkip(reading, started.attempt);
  const prefix = isMarkdown
    ? codeIndent
    : prefixOf(reading, { task: started.task, number: started.data.number });
  if (isMarkdown) output.write(`## ${cleanLine(started.task)}: ${introduce(started)}\n\n`);
  // What a setup or a check prints stands among the words of its agent.
  else if (['check', 'setup', 'verify'].includes(started.data.kind ?? ''))
    output.write(`${prefix}${output.style.dim(`── ${introduce(started)}`)}\n`);
  const printer = new LinePrinter({ output, prefix, isRaw, skip });
  for await (const { stream, text } of piton.output(started.attempt, {
    ...(tail !== undefined && { tail }),
    follow,
    signal,
  })) {
    if (!(await printer.add(stream, text))) return true;
  }
  printer.end();
  if (isMarkdown) output.write('\n');
  return printer.hasPrinted;
}

/** In a document: nothing that was printed can end a text that is marked as code so. */
const codeIndent = '    ';

/** Of both streams together. */
async function linesToSkip({ piton, tail, signal }: Reading, attempt: string): Promise<number> {
  if (tail === undefined) return 0;
  let count = 0;
  const unended = new Set<string>();
  for await (const { stream, text } of piton.output(attempt, { tail, signal })) {
    count += text.split('\n').length - 1;
    if (text.endsWith('\n')) unended.delete(stream);
    else unended.add(stream);
  }
  return Math.max(count + unended.size - tail, 0);
}
