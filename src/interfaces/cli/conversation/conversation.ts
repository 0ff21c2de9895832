import { callText } from '../../../model/index.ts';
import { cleanLine, cleanText, clockText } from '../output/index.ts';
import type { Block, BlockKind } from './block.ts';
import { entryOf, numberIn, textIn, type Entry } from './entry.ts';

interface Memory {
  /** What was said of a call when it began, by its id. */
  readonly calls: Map<string, string>;
  /** The call that was shown last, if nothing was shown since. */
  openCall?: string;
  lastMessage?: string;
}

/** Turns one attempt's transcript, entry by entry, into what is shown of it. */
export class Conversation {
  readonly #memory: Memory = { calls: new Map() };

  /** Undefined if there is nothing to show. */
  add(value: unknown): Block | undefined {
    const entry = entryOf(value);
    const type = textIn(entry, 'type');
    const read = Object.hasOwn(readers, type) ? readers[type]! : unknownBlock;
    const block = read(entry, this.#memory);
    if (block !== undefined && type !== 'tool-started') delete this.#memory.openCall;
    return block;
  }
}

type Reader = (entry: Entry, memory: Memory) => Block | undefined;

const readers: Readonly<Record<string, Reader>> = {
  session: (entry) => {
    const about = ['id', 'model', 'version']
      .map((field) => textIn(entry, field))
      .filter((text) => text !== '');
    return line('session', `session ${about.join(' · ')}`);
  },
  message(entry, memory) {
    if (textIn(entry, 'role') === 'user') return prose('prompt', textIn(entry, 'text'));
    memory.lastMessage = textIn(entry, 'text').trim();
    return prose('message', memory.lastMessage);
  },
  reasoning: (entry) => prose('reasoning', textIn(entry, 'text')),
  'tool-started': callBlock,
  'tool-finished': answerBlock,
  asked: questionBlock,
  denied: (entry) => line('trouble', `denied: ${textIn(entry, 'tool')}: ${textIn(entry, 'reason')}`),
  limit(entry) {
    const until = numberIn(entry, 'until');
    const end = until === undefined ? '' : ` (until ${new Date(until).toDateString()} ${clockText(until)})`;
    return line('trouble', `usage limit: ${textIn(entry, 'text')}${end}`);
  },
  result: resultBlock,
  failure(entry) {
    const kind = textIn(entry, 'kind');
    // The question itself was told.
    return kind === 'asked' ? undefined : line('trouble', `${kind}: ${textIn(entry, 'message')}`);
  },
  notice: (entry) => line('notice', textIn(entry, 'text')),
  unknown(entry) {
    const text = textIn(entry, 'text');
    return line('notice', text === '' ? 'unknown' : `not understood: ${text}`);
  },
  /** Told once, at the end. */
  usage: () => undefined,
};

function callBlock(entry: Entry, memory: Memory): Block {
  const id = textIn(entry, 'id');
  const head = callText(textIn(entry, 'name'), entry['input']);
  memory.calls.set(id, head);
  memory.openCall = id;
  return { kind: 'call', head, text: '', detail: inputText(entry['input']) };
}

/** Says whose answer it is, unless it stands below its call. */
function answerBlock(entry: Entry, { calls, openCall }: Memory): Block {
  const id = textIn(entry, 'id');
  const isError = entry['isError'] === true;
  const text = cleanText(textIn(entry, 'output')).trimEnd();
  const head = id === openCall ? '' : (calls.get(id) ?? 'an earlier call');
  return { kind: 'answer', head, text: text === '' ? emptyAnswer(isError) : text, isError };
}

function questionBlock(entry: Entry): Block {
  const [input, reason] = [entry['input'], textIn(entry, 'reason')];
  const why = reason === '' ? '' : ` (${reason})`;
  const head = cleanLine(`asks whether it may use ${callText(textIn(entry, 'tool'), input)}${why}`);
  return { kind: 'question', head, text: '', detail: inputText(input) };
}

function emptyAnswer(isError: boolean): string {
  return isError ? '(failed without a word)' : '(no output)';
}

/** Most agents give their last message as the result: once is enough. */
function resultBlock(entry: Entry, { lastMessage }: Memory): Block | undefined {
  const isData = entry['structured'] !== undefined;
  const text = isData ? inputText(entry['structured']) : textIn(entry, 'text').trim();
  if (text === lastMessage || text === '') return undefined;
  return { kind: 'result', head: 'result', text: cleanText(text), isData };
}

function unknownBlock(entry: Entry): Block {
  return line('notice', textIn(entry, 'type') || 'an entry without a type');
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
