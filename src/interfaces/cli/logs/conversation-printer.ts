import type { Usage } from '../../../library/index.ts';
import { Conversation, type AttemptStarted, type Block, type Form } from '../conversation/index.ts';
import type { Output } from '../output/index.ts';

export interface ConversationOptions {
  readonly output: Output;
  readonly form: Form;
  /** Written before each line: whose it is. */
  readonly prefix: string;
  /** Nothing is printed before `release`, or the end. */
  readonly isKept: boolean;
  /** Of what was kept, only so many last lines. */
  readonly tail: number | undefined;
}

/** Prints one attempt's conversation, as it comes or when it is asked to. */
export class ConversationPrinter {
  readonly #options: ConversationOptions;
  readonly #conversation = new Conversation();
  readonly #kept: string[] = [];
  #isKeeping: boolean;
  /** Whose conversation it is. */
  readonly task: string;
  hasPrinted = false;

  constructor(options: ConversationOptions, started: AttemptStarted) {
    this.#options = options;
    this.#isKeeping = options.isKept;
    this.task = started.task;
    this.#put(options.form.head(started));
  }

  /** False once nobody reads it any more. */
  add(entries: readonly unknown[]): boolean {
    const blocks = entries
      .map((entry) => this.#conversation.add(entry))
      .filter((block) => block !== undefined);
    return this.#put(blocks.flatMap((block) => this.#options.form.block(block)));
  }

  /** Something that is not in the transcript. */
  put(block: Block): boolean {
    return this.#put(this.#options.form.block(block));
  }

  /** What was kept is printed, and from now on all at once. */
  release(): boolean {
    this.#isKeeping = false;
    const { tail } = this.#options;
    const lines = this.#kept.splice(0);
    return this.#put(tail === undefined ? lines : lines.slice(Math.max(lines.length - tail, 0)));
  }

  end(usage: Usage | undefined): boolean {
    if (usage !== undefined) this.#put(this.#options.form.foot(usage));
    return this.release();
  }

  #put(lines: readonly string[]): boolean {
    if (this.#isKeeping) {
      this.#kept.push(...lines);
      return true;
    }
    const { output, prefix } = this.#options;
    this.hasPrinted ||= lines.length > 0;
    return output.write(lines.map((line) => `${(prefix + line).trimEnd()}\n`).join(''));
  }
}
