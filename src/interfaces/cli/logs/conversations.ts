import type { RunEvent } from '../../../engine/index.ts';
import {
  markdownForm,
  terminalForm,
  UsageTally,
  type AttemptStarted,
  type Form,
} from '../conversation/index.ts';
import { widthOf } from '../output/index.ts';
import { ConversationPrinter } from './conversation-printer.ts';
import { beginsConversation, plainPrefixOf, prefixOf, type Reading } from './reading.ts';

/** The conversations among what a run has printed, told by its events. */
export class Conversations {
  readonly #reading: Reading;
  readonly #tally = new UsageTally();
  readonly #open = new Map<string, ConversationPrinter>();
  #hasPrinted = false;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  get hasPrinted(): boolean {
    return this.#hasPrinted || [...this.#open.values()].some(({ hasPrinted }) => hasPrinted);
  }

  /** Takes every event of the run, in order. False once nobody reads it any more. */
  async tell(event: RunEvent): Promise<boolean> {
    this.#tally.add(event);
    if (beginsConversation(event, this.#reading)) this.#begin(event);
    if (event.type === 'attempt.ended' && !this.#end(event.attempt)) return false;
    if (event.type === 'transcript.added') {
      if (this.#open.get(event.attempt)?.add(event.data.entries) === false) return false;
      await this.#reading.output.flush();
    }
    return !this.#isOfNow(event) || this.#release();
  }

  end(): void {
    for (const attempt of this.#open.keys()) this.#end(attempt);
  }

  #begin(started: AttemptStarted): void {
    const { output, tail, isMarkdown } = this.#reading;
    const options = {
      output,
      prefix: isMarkdown ? '' : prefixOf(this.#reading, started),
      form: this.#formFor(started),
      // A document has one conversation after the other, also of those that were held at once.
      isKept: isMarkdown || tail !== undefined,
      tail,
    };
    this.#open.set(started.attempt, new ConversationPrinter(options, started));
  }

  #isOfNow({ seq }: RunEvent): boolean {
    return this.#reading.follow && seq >= this.#reading.head;
  }

  #end(attempt: string): boolean {
    const printer = this.#open.get(attempt);
    if (printer === undefined) return true;
    this.#open.delete(attempt);
    const isRead = printer.end(this.#tally.ofAttempt(attempt));
    this.#hasPrinted ||= printer.hasPrinted;
    return isRead;
  }

  /** The past is over: what comes now is shown as it comes. */
  #release(): boolean {
    return [...this.#open.values()].every((printer) => printer.release());
  }

  #formFor(started: AttemptStarted): Form {
    const { output, isMarkdown, isFull } = this.#reading;
    if (isMarkdown) return markdownForm({ isFull });
    const columns = Math.max(output.columns - widthOf(plainPrefixOf(this.#reading, started)), 20);
    return terminalForm({ style: output.style, columns, isFull });
  }
}
