import { TurnReader, type Turn } from '../../../library/index.ts';
import { callText } from '../../../model/index.ts';
import { cleanLine, cleanText, clockText } from '../output/index.ts';
import type { Block, BlockKind } from './block.ts';

interface Memory {
  /** What was said of a call when it began, by its id. */
  readonly calls: Map<string, string>;
  /** The call that was shown last, if nothing was shown since. */
  openCall?: string;
}

/** Turns one attempt's transcript, entry by entry, into what is shown of it. */
export class Conversation {
  readonly #reader = new TurnReader();
  readonly #memory: Memory = { calls: new Map() };

  /** Undefined if there is nothing to show. */
  add(value: unknown): Block | undefined {
    const turn = this.#reader.read(value);
    const block = turn && writers[turn.role](turn, this.#memory);
    if (block !== undefined && turn?.role !== 'call') delete this.#memory.openCall;
    return block;
  }
}

type Writer = (turn: Turn, memory: Memory) => Block | undefined;

const writers: Readonly<Record<Turn['role'], Writer>> = {
  session: ({ text }) => line('session', `session ${text}`),
  user: ({ text }) => prose('prompt', text),
  assistant: ({ text }) => prose('message', text),
  reasoning: ({ text }) => prose('reasoning', text),
  call: callBlock,
  answer: answerBlock,
  asked: questionBlock,
  denied: ({ tool, text }) => line('trouble', `denied: ${tool}: ${text}`),
  limit({ text, until }) {
    const end = until === undefined ? '' : ` (until ${new Date(until).toDateString()} ${clockText(until)})`;
    return line('trouble', `usage limit: ${text}${end}`);
  },
  result({ text, data }) {
    const isData = data !== undefined;
    const shown = isData ? inputText(data) : text.trim();
    return { kind: 'result', head: 'result', text: cleanText(shown), isData };
  },
  failure: ({ kind, text }) => line('trouble', `${kind}: ${text}`),
  notice: ({ text }) => line('notice', text),
  told: ({ text }) => prose('told', text),
  check: ({ text }) => prose('trouble', text),
};

function callBlock({ call = '', tool = '', input }: Turn, memory: Memory): Block {
  const head = callText(tool, input);
  memory.calls.set(call, head);
  memory.openCall = call;
  return { kind: 'call', head, text: '', detail: inputText(input) };
}

/** Says whose answer it is, unless it stands below its call. */
function answerBlock({ call = '', text, ...turn }: Turn, { calls, openCall }: Memory): Block {
  const isError = turn.isError === true;
  const clean = cleanText(text).trimEnd();
  const head = call === openCall ? '' : (calls.get(call) ?? 'an earlier call');
  return { kind: 'answer', head, text: clean === '' ? emptyAnswer(isError) : clean, isError };
}

function questionBlock({ tool = '', input, text }: Turn): Block {
  const why = text === '' ? '' : ` (${text})`;
  const head = cleanLine(`asks whether it may use ${callText(tool, input)}${why}`);
  return { kind: 'question', head, text: '', detail: inputText(input) };
}

function emptyAnswer(isError: boolean): string {
  return isError ? '(failed without a word)' : '(no output)';
}

function line(kind: BlockKind, head: string): Block {
  return { kind, head: cleanLine(head), text: '' };
}

function prose(kind: BlockKind, text: string): Block | undefined {
  const clean = cleanText(text).trim();
  return clean === '' ? undefined : { kind, head: '', text: clean };
}

function inputText(value: unknown): string {
  if (value === undefined) return '';
  return cleanText(typeof value === 'string' ? value : JSON.stringify(value, null, 2));
}
