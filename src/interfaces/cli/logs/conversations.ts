import { Attempts, type RunEvent } from '../../../library/index.ts';
import {
  markdownForm,
  remarkOf,
  terminalForm,
  type AttemptStarted,
  type Form,
  type Remark,
} from '../conversation/index.ts';
import { cleanLine, widthOf } from '../output/index.ts';
import { ConversationPrinter } from './conversation-printer.ts';
import {
  beginsConversation,
  belongsToConversation,
  plainPrefixOf,
  prefixOf,
  type Reading,
  type Whose,
} from './reading.ts';

/** The conversations among what a run has printed, told by its events. */
export class Conversations {
  readonly #reading: Reading;
  readonly #attempts = new Attempts();
  readonly #open = new Map<string, ConversationPrinter>();
  /** Tasks that have had a conversation. */
  readonly #talked = new Set<string>();
  #hasPrinted = false;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  get hasPrinted(): boolean {
    return this.#hasPrinted || [...this.#open.values()].some(({ hasPrinted }) => hasPrinted);
  }

  /** Takes every event of the run, in order. False once nobody reads it any more. */
  async tell(event: RunEvent): Promise<boolean> {
    this.#attempts.add(event);
    if (beginsConversation(event, this.#reading)) this.#begin(event);
    if (event.type === 'attempt.ended' && !this.#end(event.attempt)) return false;
    if (event.type === 'transcript.added') {
      if (this.#open.get(event.attempt)?.add(event.data.entries ?? []) === false) return false;
      await this.#reading.output.flush();
    }
    if (!this.#remark(event)) return false;
    return !this.#isOfNow(event) || this.#release();
  }

  end(): void {
    for (const attempt of this.#open.keys()) this.#end(attempt);
  }

  #begin(started: AttemptStarted): void {
    const { output, tail, isMarkdown } = this.#reading;
    const whose = { task: started.task, number: started.data.number };
    const options = {
      output,
      prefix: isMarkdown ? '' : prefixOf(this.#reading, whose),
      form: this.#formFor(whose),
      // A document has one conversation after the other, also of those that were held at once.
      isKept: isMarkdown || tail !== undefined,
      tail,
    };
    this.#talked.add(started.task);
    this.#open.set(started.attempt, new ConversationPrinter(options, started));
  }

  #isOfNow({ seq }: RunEvent): boolean {
    return this.#reading.follow && seq >= this.#reading.head;
  }

  #end(attempt: string): boolean {
    const printer = this.#open.get(attempt);
    if (printer === undefined) return true;
    this.#open.delete(attempt);
    const isRead = printer.end(this.#attempts.get(attempt)?.usage);
    this.#hasPrinted ||= printer.hasPrinted;
    return isRead;
  }

  /** What came from outside: in the middle of the conversation it is about, or between two of them. */
  #remark(event: RunEvent): boolean {
    const remark = belongsToConversation(event, this.#reading) ? remarkOf(event) : undefined;
    if (remark === undefined) return true;
    // Before its first words, a person has allowed the task itself, not something that its agent has asked for.
    if (event.type === 'gate.decided' && !this.#talked.has(remark.task)) return true;
    return this.#print(remark);
  }

  #print({ task, block }: Remark): boolean {
    const printer = [...this.#open.values()].find((open) => open.task === task);
    if (printer !== undefined) return printer.put(block);
    const { output, isMarkdown } = this.#reading;
    const prefix = isMarkdown ? '' : prefixOf(this.#reading, { task });
    const heading = isMarkdown ? [`## ${cleanLine(task)}`, ''] : [];
    const lines = [...heading, ...this.#formFor({ task }).block(block)];
    this.#hasPrinted = true;
    return output.write(lines.map((line) => `${(prefix + line).trimEnd()}\n`).join(''));
  }

  /** The past is over: what comes now is shown as it comes. */
  #release(): boolean {
    return [...this.#open.values()].every((printer) => printer.release());
  }

  #formFor(whose: Whose): Form {
    const { output, isMarkdown, isFull } = this.#reading;
    if (isMarkdown) return markdownForm({ isFull });
    const columns = Math.max(output.columns - widthOf(plainPrefixOf(this.#reading, whose)), 20);
    return terminalForm({ style: output.style, columns, isFull });
  }
}
