import type { Json, JsonObject } from '../../base/index.ts';
import type { FailureKind } from '../contract.ts';
import { at, entryOf, listOf, numberAt, objectOf, shorten, textAt } from '../json-fields.ts';
import { CallBook } from './call-book.ts';
import { blockText, inputOf, nameOf, shownCall, type Call } from './calls.ts';
import { isAllowed, isTolerated, type Policy } from './policy.ts';
import { Speech } from './speech.ts';
import { say } from './voice.ts';

/** Why the turn was ended by us. */
export interface Halt {
  readonly kind: FailureKind;
  readonly message: string;
}

type Permit = { readonly outcome: { readonly outcome: string; readonly optionId?: string } };

const cancelled: Permit = { outcome: { outcome: 'cancelled' } };

/** Hears what the agent tells and asks during a turn, prints it, and answers by the policy. */
export class Listener {
  readonly #policy: Policy;
  readonly #speech = new Speech();
  readonly #calls = new CallBook();
  readonly #halted = Promise.withResolvers<void>();
  #session: string | undefined;
  #plan = '';
  #costUsd = 0;
  #halt: Halt | undefined;
  #unanswered: Call | undefined;

  constructor(policy: Policy) {
    this.#policy = policy;
  }

  /** What comes before is the history of the session, or about other things. */
  begin(session: string): void {
    this.#session = session;
  }

  get halt(): Halt | undefined {
    return this.#halt;
  }

  /** The turn is to be ended, for no fault of the agent. */
  cancel(): void {
    this.#halted.resolve();
  }

  /** Fulfilled if the turn has to be ended. */
  get halted(): Promise<void> {
    return this.#halted.promise;
  }

  /** Whether the agent has told a price. */
  get isPriced(): boolean {
    return this.#costUsd > 0;
  }

  hear(params: Json): void {
    const update = objectOf(at(params, 'update'));
    if (this.#session === undefined || textAt(params, 'sessionId') !== this.#session || update === undefined)
      return;
    const type = textAt(update, 'sessionUpdate') ?? '';
    const listen = entryOf(this.#listeners, type);
    if (listen !== undefined) listen(update);
    else if (!unimportant.has(type)) this.#wonder(type || 'update without a type');
  }

  answer(params: Json): Permit {
    const toolCall = objectOf(at(params, 'toolCall')) ?? {};
    this.#speech.act();
    const call = this.#calls.asked(toolCall);
    if (this.#halt !== undefined) return cancelled;
    const option = isAllowed(call, this.#policy) ? this.#allowing(at(params, 'options')) : undefined;
    if (option === undefined) return this.#ask(call);
    this.#calls.allowed(call);
    return { outcome: { outcome: 'selected', optionId: option } };
  }

  /** The last words of the turn, when nothing more is to come. */
  end(): string {
    if (this.#unanswered !== undefined) this.#calls.closeUnanswered(this.#unanswered);
    return this.#speech.answer();
  }

  readonly #listeners: Readonly<Record<string, (update: JsonObject) => void>> = {
    agent_message_chunk: (update) => this.#speak('said', update),
    agent_thought_chunk: (update) => this.#speak('thought', update),
    tool_call: (update) => this.#act(update),
    tool_call_update: (update) => this.#act(update),
    plan: (update) => this.#showPlan(update),
    usage_update: (update) => this.#count(update),
    notice: (update) =>
      this.#notice([textAt(update, 'title'), textAt(update, 'description')].filter(Boolean).join(': ')),
  };

  #speak(event: 'said' | 'thought', update: JsonObject): void {
    const text = blockText(objectOf(update['content'])) ?? '';
    this.#speech.hear({ event, message: textAt(update, 'messageId'), text });
  }

  #act(update: JsonObject): void {
    this.#speech.act();
    if (textAt(update, 'toolCallId') === undefined) return this.#wonder('tool_call without an id');
    const unasked = this.#calls.hear(update);
    if (unasked === undefined || this.#halt !== undefined || isTolerated(unasked, this.#policy)) return;
    const reason = `it did so without asking, and ${this.#rule()} does not allow it`;
    say({ event: 'denied', tool: shownCall(unasked), reason });
    const remedy = 'Let it ask, by its own configuration, or say `permissions: full`.';
    this.#stop({
      kind: 'denied',
      message: `It has made the call ${shownCall(unasked)}: ${reason}. ${remedy}`,
    });
  }

  #ask(call: Call): Permit {
    const rule = `${this.#rule()} does not allow it`;
    // Of a call whose input is not told, its title is all that a person can judge by.
    const reason = call.rawInput === undefined ? `"${call.title}"; ${rule}` : rule;
    say({ event: 'asked', tool: nameOf(call), input: inputOf(call), reason });
    this.#unanswered = call;
    this.#stop({ kind: 'asked', message: `It asks for ${shownCall(call)}: ${rule}.` });
    return cancelled;
  }

  #stop(halt: Halt): void {
    this.#halt = halt;
    this.#halted.resolve();
  }

  #rule(): string {
    const { permissions } = this.#policy;
    return `\`permissions: ${typeof permissions === 'string' ? permissions : `[${permissions.join(', ')}]`}\``;
  }

  /** Never more than this one call, unless everything is allowed. */
  #allowing(options: Json | undefined): string | undefined {
    const of = (kind: string): string | undefined =>
      listOf(options)
        .filter((option) => textAt(option, 'kind') === kind)
        .map((option) => textAt(option, 'optionId'))[0];
    return of('allow_once') ?? (this.#policy.permissions === 'full' ? of('allow_always') : undefined);
  }

  #showPlan(update: JsonObject): void {
    const entries = listOf(update['entries']).map(
      (entry) => `[${textAt(entry, 'status') === 'completed' ? 'x' : ' '}] ${textAt(entry, 'content') ?? ''}`,
    );
    const plan = entries.join('; ');
    if (plan === this.#plan) return;
    this.#plan = plan;
    this.#notice(`Plan: ${plan}`);
  }

  /** The price of the whole session; tokens are told at the end of the turn only. */
  #count(update: JsonObject): void {
    const costUsd = numberAt(update, 'cost', 'amount') ?? 0;
    if (textAt(update, 'cost', 'currency') !== 'USD' || costUsd <= this.#costUsd) return;
    this.#costUsd = costUsd;
    say({ event: 'used', input: 0, output: 0, costUsd, cumulative: true });
  }

  /** Whatever that was, it may have been a call. */
  #wonder(kind: string): void {
    this.#speech.end();
    say({ event: 'unknown', kind });
  }

  #notice(text: string): void {
    this.#speech.end();
    say({ event: 'notice', text: shorten(text) });
  }
}

const unimportant = new Set([
  'user_message_chunk',
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'session_info_update',
]);
