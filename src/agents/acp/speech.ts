import { say } from './voice.ts';

interface Utterance {
  readonly event: 'said' | 'thought';
  readonly message: string | undefined;
  text: string;
}

/** Joins what comes in pieces into whole messages. */
export class Speech {
  #open: Utterance | undefined;
  #answer = '';

  hear({ event, message, text }: Utterance): void {
    if (this.#open?.event !== event || this.#open.message !== message) this.end();
    this.#open ??= { event, message, text: '' };
    this.#open.text += text;
  }

  /** Something else has begun: what was said so far is a whole. */
  end(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined || open.text.trim() === '') return;
    say({ event: open.event, text: open.text });
    if (open.event === 'said') this.#answer = open.text;
  }

  /** The answer comes after all tool calls. */
  act(): void {
    this.end();
    this.#answer = '';
  }

  /** What was said last. */
  answer(): string {
    this.end();
    return this.#answer;
  }
}
