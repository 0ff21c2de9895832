import { TurnReader, type Turn } from '../../../library/index.ts';
import { cleanText } from '../output/index.ts';
import { askedLines } from './asked-call.ts';

/** A piece of a conversation as plain text, without control characters. */
export interface Spoken {
  readonly role: Turn['role'];
  /** Of calls and their answers. */
  readonly tool?: string;
  readonly text: string;
}

/** The words of one attempt's transcript, entry by entry. */
export class Speech {
  readonly #reader = new TurnReader();

  add(value: unknown): Spoken | undefined {
    const turn = this.#reader.read(value);
    if (turn === undefined || turn.role === 'session') return undefined;
    const { role, tool } = turn;
    return { role, ...(tool !== undefined && { tool }), text: cleanText(wordsOf(turn)) };
  }
}

/** Of a call the fields of its input, without the line that names its tool. */
function wordsOf({ role, tool = '', input = null, text }: Turn): string {
  if (role !== 'call' && role !== 'asked') return text;
  return askedLines({ tool, input }).slice(1).join('\n');
}
