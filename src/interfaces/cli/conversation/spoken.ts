import { cleanText } from '../output/index.ts';
import { askedLines } from './asked-call.ts';
import { entryOf, textIn, type Entry } from './entry.ts';
import type { Json } from '../../../base/index.ts';

/** A piece of a conversation as plain text, without control characters. */
export interface Spoken {
  /** Who or what it is from. */
  readonly role: Role;
  /** Of calls and their answers. */
  readonly tool?: string;
  readonly text: string;
}

export type Role =
  | 'assistant'
  | 'user'
  | 'reasoning'
  | 'call'
  | 'answer'
  | 'result'
  | 'asked'
  | 'denied'
  | 'limit'
  | 'failure'
  | 'notice'
  | 'told'
  | 'check';

/** The words of one attempt's transcript, entry by entry. */
export class Speech {
  readonly #tools = new Map<string, string>();
  #lastMessage = '';

  add(value: unknown): Spoken | undefined {
    const entry = entryOf(value);
    const spoken = this.#read(entry);
    return spoken === undefined ? undefined : { ...spoken, text: cleanText(spoken.text) };
  }

  #read(entry: Entry): Spoken | undefined {
    const type = textIn(entry, 'type');
    switch (type) {
      case 'message':
        return this.#message(entry);
      case 'tool-started':
        return this.#call(entry);
      case 'tool-finished':
        return this.#answer(entry);
      case 'result':
        return this.#result(entry);
      default:
        return Object.hasOwn(others, type) ? others[type]!(entry) : undefined;
    }
  }

  #message(entry: Entry): Spoken {
    const text = textIn(entry, 'text');
    const isUser = textIn(entry, 'role') === 'user';
    if (!isUser) this.#lastMessage = text.trim();
    return { role: isUser ? 'user' : 'assistant', text };
  }

  #call(entry: Entry): Spoken {
    const tool = textIn(entry, 'name');
    this.#tools.set(textIn(entry, 'id'), tool);
    return { role: 'call', tool, text: inputOf(entry) };
  }

  #answer(entry: Entry): Spoken {
    const id = textIn(entry, 'id');
    const tool = this.#tools.get(id);
    this.#tools.delete(id);
    return { role: 'answer', ...(tool !== undefined && { tool }), text: textIn(entry, 'output') };
  }

  /** Most agents give their last message as the result: once is enough. */
  #result(entry: Entry): Spoken | undefined {
    const text = textIn(entry, entry['structured'] === undefined ? 'text' : 'structured');
    return text.trim() === this.#lastMessage ? undefined : { role: 'result', text };
  }
}

const others: Readonly<Record<string, (entry: Entry) => Spoken | undefined>> = {
  reasoning: (entry) => ({ role: 'reasoning', text: textIn(entry, 'text') }),
  asked: (entry) => ({ role: 'asked', tool: textIn(entry, 'tool'), text: inputOf(entry) }),
  denied: (entry) => ({ role: 'denied', tool: textIn(entry, 'tool'), text: textIn(entry, 'reason') }),
  limit: (entry) => ({ role: 'limit', text: textIn(entry, 'text') }),
  failure: (entry) => ({ role: 'failure', text: textIn(entry, 'message') }),
  notice: (entry) => ({ role: 'notice', text: textIn(entry, 'text') }),
  unknown: (entry) =>
    entry['text'] === undefined ? undefined : { role: 'notice', text: textIn(entry, 'text') },
};

/** The fields of a call, without the line that names its tool. */
function inputOf(entry: Entry): string {
  const input = (entry['input'] ?? null) as Json;
  return askedLines({ tool: '', input }).slice(1).join('\n');
}
