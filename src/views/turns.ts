import { isPlainObject, type Json } from '../base/index.ts';

/**
 * One piece of a conversation with an agent, as it was said. It may hold anything, also control characters: whoever shows it cleans
 * it.
 */
export interface Turn {
  /**
   * Who or what it is from. `user`: the prompt. `told`: a person, in the middle of it. `call` and `answer`: of a tool. `asked`: the
   * agent asks whether it may make a call. `check`: what the check of its work has found.
   */
  readonly role:
    | 'user'
    | 'assistant'
    | 'reasoning'
    | 'call'
    | 'answer'
    | 'asked'
    | 'denied'
    | 'result'
    | 'session'
    | 'limit'
    | 'failure'
    | 'notice'
    | 'told'
    | 'check';
  readonly text: string;
  /** Of calls, answers, questions and refusals. */
  readonly tool?: string;
  /** The id of the call, by which its answer is found. */
  readonly call?: string;
  /** Of calls and questions. */
  readonly input?: Json;
  /** Of a call: what the tool answered, if that is known. */
  readonly answer?: { readonly text: string; readonly isError?: true };
  /** Of an answer: the tool has failed. */
  readonly isError?: true;
  /** Of a result that is data. */
  readonly data?: Json;
  /** Of a failure. */
  readonly kind?: string;
  /** Of a usage limit: when it ends. */
  readonly until?: number;
}

/** One entry of a transcript, as it was stored: perhaps by another version, so nothing in it is taken for granted. */
type Entry = Readonly<Record<string, unknown>>;

/** Reads one attempt's transcript, entry by entry. */
export class TurnReader {
  readonly #tools = new Map<string, string>();
  #lastMessage = '';

  /** Undefined if there is nothing to show. */
  read(value: unknown): Turn | undefined {
    const entry: Entry = isPlainObject(value) ? value : { type: 'unknown' };
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
        return Object.hasOwn(others, type) ? others[type]!(entry) : notUnderstood(type);
    }
  }

  #message(entry: Entry): Turn {
    const text = textIn(entry, 'text');
    if (textIn(entry, 'role') === 'user') return { role: 'user', text };
    this.#lastMessage = text.trim();
    return { role: 'assistant', text };
  }

  #call(entry: Entry): Turn {
    const [call, tool] = [textIn(entry, 'id'), textIn(entry, 'name')];
    this.#tools.set(call, tool);
    return { role: 'call', tool, call, ...inputIn(entry), text: '' };
  }

  #answer(entry: Entry): Turn {
    const call = textIn(entry, 'id');
    const tool = this.#tools.get(call);
    this.#tools.delete(call);
    return {
      role: 'answer',
      call,
      ...(tool !== undefined && { tool }),
      ...(entry['isError'] === true && { isError: true }),
      text: textIn(entry, 'output'),
    };
  }

  /** Most agents give their last message as the result: once is enough. */
  #result(entry: Entry): Turn | undefined {
    const data = entry['structured'] as Json | undefined;
    const text = data === undefined ? textIn(entry, 'text') : JSON.stringify(data);
    if (text.trim() === this.#lastMessage || text.trim() === '') return undefined;
    return { role: 'result', text, ...(data !== undefined && { data }) };
  }
}

const others: Readonly<Record<string, (entry: Entry) => Turn | undefined>> = {
  session(entry) {
    const about = ['id', 'model', 'version'].map((field) => textIn(entry, field));
    return { role: 'session', text: about.filter((text) => text !== '').join(' · ') };
  },
  reasoning: (entry) => ({ role: 'reasoning', text: textIn(entry, 'text') }),
  asked: (entry) => ({
    role: 'asked',
    tool: textIn(entry, 'tool'),
    ...inputIn(entry),
    text: textIn(entry, 'reason'),
  }),
  denied: (entry) => ({ role: 'denied', tool: textIn(entry, 'tool'), text: textIn(entry, 'reason') }),
  limit(entry) {
    const { until } = entry;
    const isKnown = typeof until === 'number' && Number.isFinite(until);
    return { role: 'limit', text: textIn(entry, 'text'), ...(isKnown && { until }) };
  },
  failure(entry) {
    const kind = textIn(entry, 'kind');
    // The question itself was told.
    return kind === 'asked' ? undefined : { role: 'failure', kind, text: textIn(entry, 'message') };
  },
  notice: (entry) => ({ role: 'notice', text: textIn(entry, 'text') }),
  unknown(entry) {
    const text = textIn(entry, 'text');
    return { role: 'notice', text: text === '' ? 'unknown' : `not understood: ${text}` };
  },
  /** Told once, at the end. */
  usage: () => undefined,
};

function notUnderstood(type: string): Turn {
  return { role: 'notice', text: type === '' ? 'an entry without a type' : type };
}

function inputIn(entry: Entry): Pick<Turn, 'input'> {
  return entry['input'] === undefined ? {} : { input: entry['input'] as Json };
}

/** A field as text; empty if it is not there. */
function textIn(entry: Entry, field: string): string {
  const value = entry[field];
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
