import type { JsonObject } from '../../base/index.ts';
import { textAt } from '../json-fields.ts';
import { inputOf, mergeCall, nameOf, outputIn, unknownCall, type Call } from './calls.ts';
import { say } from './voice.ts';

interface Entry {
  call: Call;
  /** Pending calls are told so: mostly, their input is yet to come. */
  told: 'no' | 'pending' | 'begun' | 'ended';
  isAsked: boolean;
}

/** The tool calls of a turn: each is told once when it begins, and once when it ends. */
export class CallBook {
  readonly #entries = new Map<string, Entry>();

  /** Gives the call if it has ended well without having been asked for. */
  hear(update: JsonObject): Call | undefined {
    const entry = this.#merge(update);
    const status = textAt(update, 'status');
    if (status === 'completed' || status === 'failed') return this.#end(entry, update);
    if (status === 'pending') this.#announce(entry);
    else this.#begin(entry);
    return undefined;
  }

  /** The agent asks for a call. */
  asked(toolCall: JsonObject): Call {
    const entry = this.#merge(toolCall);
    entry.isAsked = true;
    return entry.call;
  }

  /** Told before it is answered: afterwards it may have begun. */
  allowed({ id }: Call): void {
    this.#begin(this.#entries.get(id)!);
  }

  /** A call that was not allowed has ended, whether the agent says so or not. */
  closeUnanswered({ id }: Call): void {
    const entry = this.#entries.get(id)!;
    if (entry.told === 'begun') this.#sayEnd(entry, { failed: true, output: 'It was not allowed.' });
  }

  #merge(told: JsonObject): Entry {
    const id = textAt(told, 'toolCallId') ?? '';
    const entry: Entry = this.#entries.get(id) ?? { call: unknownCall(id), told: 'no', isAsked: false };
    entry.call = mergeCall(entry.call, told);
    this.#entries.set(id, entry);
    return entry;
  }

  #announce(entry: Entry): void {
    if (entry.told !== 'no') return;
    entry.told = 'pending';
    say({ ...beginning(entry.call), pending: true });
  }

  #begin(entry: Entry): void {
    if (entry.told === 'begun' || entry.told === 'ended') return;
    entry.told = 'begun';
    say(beginning(entry.call));
  }

  #end(entry: Entry, update: JsonObject): Call | undefined {
    if (entry.told === 'ended') return undefined;
    this.#begin(entry);
    const failed = textAt(update, 'status') === 'failed';
    this.#sayEnd(entry, { failed, output: outputIn(update) });
    return failed || entry.isAsked ? undefined : entry.call;
  }

  #sayEnd(entry: Entry, { failed, output }: { readonly failed: boolean; readonly output: string }): void {
    entry.told = 'ended';
    say({ event: 'tool-ended', id: entry.call.id, failed, output });
  }
}

function beginning(call: Call): JsonObject {
  return { event: 'tool', id: call.id, name: nameOf(call), input: inputOf(call) };
}
